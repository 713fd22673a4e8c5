"""A model that follows a script: an HTTP server that answers the runtime's requests
as Anthropic's messages interface does, one turn after the other."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Model:
    """Serves `turns` on a free port of the loopback: each is a text, and calls as
    (id, tool, input). The last turn is repeated."""

    def __init__(self, turns):
        self.turns = turns
        self.asked = 0
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("content-length", 0)))
                turn = model.turns[min(model.asked, len(model.turns) - 1)]
                model.asked += 1
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.end_headers()
                for event in events(*turn):
                    line = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
                    self.wfile.write(line.encode())
                self.close_connection = True

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def events(text, calls):
    usage = {"input_tokens": 10, "output_tokens": 10}
    message = {"id": "msg_script", "type": "message", "role": "assistant", "model": "test-model"}
    message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    yield {"type": "message_start", "message": message}
    index = 0
    if text:
        yield from block(index, {"type": "text", "text": ""}, {"type": "text_delta", "text": text})
        index += 1
    for call, tool, given in calls:
        start = {"type": "tool_use", "id": call, "name": tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(given)}
        yield from block(index, start, delta)
        index += 1
    reason = "tool_use" if calls else "end_turn"
    delta = {"stop_reason": reason, "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": usage}
    yield {"type": "message_stop"}


def block(index, start, delta):
    yield {"type": "content_block_start", "index": index, "content_block": start}
    yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}
