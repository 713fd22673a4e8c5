"""Tries the service under more load than it takes.

    python3 examples/service/overload.py --program PATH/TO/murmur-fence

Starts `cargo xtask service` and nginx in front of it, then lets many clients ask at
once: small and large texts, bodies that are too large, bodies that are no JSON. Every
answer is compared, byte for byte, with what it has to be: the block that the native
program makes, the block that the Murmur runtime recorded, or a refusal. Ends with 1 if
one is wrong. Needs nginx and the `wasmtime` program (48); nothing from Python but its
standard library.
"""

import argparse
import collections
import http.client
import json
import os
import pathlib
import random
import shlex
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
VECTORS = ROOT / "host-test/cases/vectors/murmur-0.8.0.jsonl"
SERVICE, FRONT = 8080, 8081
MAX_BODY = 1 << 20
JSON = {"content-type": "application/json"}


class Question:
    """A request, and the one answer beside 503 that is right for it."""

    def __init__(self, kind, body, status, check, path="/wrap", chunked=False):
        self.kind, self.path, self.body = kind, path, body
        self.status, self.check, self.chunked = status, check, chunked

    def ask(self, connection):
        body = self.body
        if self.chunked:
            # Without a length, http.client sends what it is given in chunks.
            body = (self.body[at : at + 50_000] for at in range(0, len(self.body), 50_000))
        connection.request("POST", self.path, body, JSON)
        response = connection.getresponse()
        return response.status, response.read()


def block(expected):
    return lambda answer: answer == {"block": expected}


def refusal(code):
    return lambda answer: answer["error"]["code"] == code


def questions(program):
    """Every kind of request, with weights."""
    vectors = [json.loads(line) for line in VECTORS.read_text("utf-8").splitlines()]
    small, verdicts, large = [], [], []
    for vector in vectors:
        body = json.dumps({"source": vector["source"], "content": vector["content"]})
        small.append(Question("small wrap", body.encode(), 200, block(vector["wrapped"])))
    # What is wrapped is intact, and one block is strict.
    intact = lambda answer: answer["verdict"] == "intact" and len(answer["blocks"]) == 1
    for vector in vectors[:100]:
        body = json.dumps({"message": vector["wrapped"], "mode": "strict"}).encode()
        verdicts.append(Question("verify", body, 200, intact, path="/verify"))
    for seed in range(4):
        text = "\n".join(
            random.Random(seed).choice(vectors)["content"] + " words around it" * 20
            for _ in range(700)
        )[: 256 << 10]
        command = [program, "wrap", "--source", "tool:large"]
        native = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
        body = json.dumps({"source": "tool:large", "content": text}, ensure_ascii=False)
        large.append(Question("large wrap", body.encode(), 200, block(native.stdout.decode())))
    too_large = json.dumps({"source": "a", "content": "x" * (MAX_BODY + 400_000)}).encode()
    refused = refusal("body-too-large")
    return [
        (50, small),
        (15, verdicts),
        (20, large),
        (5, [Question("too large", too_large, 413, refused)]),
        (5, [Question("too large, chunked", too_large, 413, refused, chunked=True)]),
        (5, [Question("no JSON", b'{"source":', 400, refusal("not-json"))]),
    ]


class Tally:
    """Counts answers; remembers what is wrong."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.times = []
        self.wrong = []

    def add(self, question, port, seconds, status, body):
        wrong = None
        if status == question.status or (status == 503 and port == FRONT):
            check = question.check if status == question.status else refusal("busy")
            try:
                if not check(json.loads(body)):
                    wrong = body[:200]
            except (ValueError, KeyError, TypeError) as error:
                wrong = f"{error}: {body[:200]}"
        elif status != "broken off":
            wrong = body[:200]
        with self.lock:
            self.counts[question.kind, status] += 1
            if status == 200:
                self.times.append(seconds)
            if wrong is not None:
                self.wrong.append(f"{question.kind}: {status}: {wrong}")


def client(port, choices, tally, end, seed):
    weights, kinds = zip(*choices)
    rng = random.Random(seed)
    connection = None
    while time.monotonic() < end():
        question = rng.choice(rng.choices(kinds, weights)[0])
        start = time.monotonic()
        try:
            if connection is None:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            status, body = question.ask(connection)
            if status != 200:
                # A server may close the connection after a refusal.
                connection.close()
                connection = None
        except (OSError, http.client.HTTPException) as error:
            status, body = "broken off", str(error)
            connection = None
        tally.add(question, port, time.monotonic() - start, status, body)
        if status in (503, "broken off"):
            time.sleep(rng.random() * 0.1)


broken_threads = []
threading.excepthook = lambda raised: broken_threads.append(f"a client: {raised.exc_value!r}")


def phase(name, port, choices, clients, seconds, meanwhile=None):
    tally, end = Tally(), time.monotonic() + seconds
    threads = [
        threading.Thread(target=client, args=(port, choices, tally, lambda: end, seed))
        for seed in range(clients)
    ]
    for thread in threads:
        thread.start()
    if meanwhile:
        meanwhile()
    for thread in threads:
        thread.join()
    tally.wrong += broken_threads
    print(f"\n{name}: {clients} clients, {seconds} s")
    for (kind, status), count in sorted(tally.counts.items(), key=str):
        print(f"  {kind:20} {status!s:10} {count:7}")
    times = sorted(tally.times)
    if times:
        at = lambda part: 1000 * times[int(part * (len(times) - 1))]
        print(f"  answers: {len(times) / seconds:.0f}/s, {at(0.5):.0f} ms half of them, {at(0.99):.0f} ms 99 %")
    for wrong in tally.wrong[:5]:
        print(f"  WRONG {wrong}")
    return tally


class Programs:
    """The service and nginx, below target/."""

    def __init__(self, server):
        self.server = shlex.split(server)
        self.directory = ROOT / "target/service"
        self.directory.mkdir(parents=True, exist_ok=True)
        self.running = {}

    def start(self, name):
        front = ["nginx", "-p", str(self.directory), "-c", str(HERE / "nginx.conf")]
        command, port = (front, FRONT) if name == "nginx" else (self.server, SERVICE)
        log = open(self.directory / f"{name}.log", "ab")
        self.running[name] = subprocess.Popen(
            command, cwd=ROOT, stdout=log, stderr=log, start_new_session=True
        )
        for _ in range(3000):
            try:
                ask = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
                ask.request("GET", "/healthz")
                return ask.getresponse().read()
            except OSError:
                if self.running[name].poll() is not None:
                    break
                time.sleep(0.1)
        sys.exit(f"{name} does not start; see {log.name}")

    def stop(self, name, how=signal.SIGTERM):
        process = self.running.pop(name, None)
        if process:
            if process.poll() is None:
                os.killpg(process.pid, how)
            process.wait()

    def memory(self):
        """Resident memory of the service, in MB."""
        sizes = subprocess.run(
            ["ps", "-o", "rss=", "--sid", str(self.running["service"].pid)],
            capture_output=True,
            text=True,
        ).stdout
        return max((int(size) for size in sizes.split()), default=0) // 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="murmur-fence", help="the native program")
    parser.add_argument("--server", default="cargo xtask service", help="what starts the service")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=20)
    arguments = parser.parse_args()
    choices = questions(arguments.program)
    programs = Programs(arguments.server)
    failures = []

    def expect(what, holds):
        print(f"  {'holds' if holds else 'FAILS'}: {what}")
        if not holds:
            failures.append(what)

    def restart():
        time.sleep(arguments.seconds / 4)
        programs.stop("service", signal.SIGKILL)
        time.sleep(arguments.seconds / 4)
        programs.start("service")

    def statuses(tally):
        return {status for _, status in tally.counts}

    try:
        programs.start("service")
        programs.start("nginx")

        calm = phase("few clients, through nginx", FRONT, choices, 8, arguments.seconds)
        expect("no answer is wrong", not calm.wrong)
        expect("nothing is refused as busy", 503 not in statuses(calm))
        expect("nothing is broken off", "broken off" not in statuses(calm))
        before = programs.memory()

        over = phase("overload, through nginx", FRONT, choices, arguments.clients, arguments.seconds)
        expect("no answer is wrong", not over.wrong)
        expect("some are refused as busy", 503 in statuses(over))
        expect("nothing is broken off", "broken off" not in statuses(over))

        killed = phase(
            "the service is killed and started again", FRONT, choices, 16, arguments.seconds, restart
        )
        expect("no answer is wrong", not killed.wrong)
        expect("what it cannot answer is refused as busy", 503 in statuses(killed))
        expect("nothing is broken off", "broken off" not in statuses(killed))

        bare = phase("overload, without nginx", SERVICE, choices, arguments.clients, arguments.seconds)
        expect("no answer is wrong", not bare.wrong)
        broken = {kind for kind, status in bare.counts if status == "broken off"}
        expect("only bodies that are too large are broken off", broken <= {"too large", "too large, chunked"})

        time.sleep(3)
        after = phase("few clients again", FRONT, choices, 8, arguments.seconds)
        expect("no answer is wrong", not after.wrong)
        expect("nothing is refused as busy", 503 not in statuses(after))
        print(f"\nmemory of the service: {before} MB before, {programs.memory()} MB after the overload")
    finally:
        programs.stop("nginx")
        programs.stop("service")
    sys.exit(f"{len(failures)} expectations fail" if failures else 0)


if __name__ == "__main__":
    main()
