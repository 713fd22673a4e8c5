// Serves a directory on this machine only.
//
// node serve.js DIRECTORY [PORT]

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const TYPES = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

/** Serves the first of the directories that has the file. `posted` gets every body
 * that is posted. */
export function serve(directories, port = 0, posted) {
  const server = createServer(async (request, response) => {
    if (request.method === 'POST' && posted) {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      response.end();
      posted(Buffer.concat(chunks).toString());
      return;
    }
    let path;
    try {
      path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
    } catch {
      response.writeHead(400).end('not a path');
      return;
    }
    for (const directory of directories) {
      try {
        const file = path.endsWith('/') ? join(directory, path, 'index.html') : join(directory, path);
        const body = await readFile(file);
        const type = TYPES[extname(file)] ?? 'application/octet-stream';
        response.writeHead(200, { 'content-type': type, 'x-content-type-options': 'nosniff' });
        response.end(body);
        return;
      } catch {
        // The next directory may have it.
      }
    }
    response.writeHead(404).end('not found');
  });
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [directory, port = '8081'] = process.argv.slice(2);
  const server = await serve([directory], Number(port)).catch((error) => {
    console.error(`failed to listen on port ${port}: ${error.message}`);
    process.exit(1);
  });
  console.log(`http://127.0.0.1:${server.address().port}/`);
}
