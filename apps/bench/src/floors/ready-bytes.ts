// What answering with ready bytes costs at least: bare node:http that sends one file as JSON, as
// it is, compressed, or as 304 to a request that names its tag, and nothing else.
// Usage: node ready-bytes.ts <port> <file>
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";

const json = readFileSync(process.argv[3] ?? "");
const compressed = gzipSync(json);
const etag = 'W/"floor"';
const type = { etag, "content-type": "application/json; charset=utf-8" };
const plainHeaders = { ...type, "content-length": json.length };
const gzipHeaders = { ...type, "content-encoding": "gzip", "content-length": compressed.length };

const server = createServer((request, response) => {
  const { headers } = request;
  if (headers["if-none-match"] === etag) response.writeHead(304, { etag }).end();
  else if (headers["accept-encoding"] === "gzip")
    response.writeHead(200, gzipHeaders).end(compressed);
  else response.writeHead(200, plainHeaders).end(json);
});
server.listen(Number(process.argv[2] ?? 8097), "127.0.0.1");
