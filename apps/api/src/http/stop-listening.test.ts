import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { createDoor } from "./stop-listening.ts";

/** Waits until it is told to, connects, says so, and sends a request. */
const CLIENT = `
  const { parentPort, workerData: { port, flags } } = require("node:worker_threads");
  Atomics.wait(flags, 0, 0);
  const socket = require("node:net").connect(port, "127.0.0.1", () => {
    Atomics.store(flags, 1, 1);
    Atomics.notify(flags, 1);
    socket.write("GET / HTTP/1.1\\r\\nhost: a\\r\\nconnection: close\\r\\n\\r\\n");
  });
  let text = "";
  socket.on("data", (chunk) => (text += chunk));
  socket.on("error", ({ code }) => parentPort.postMessage(code));
  socket.on("end", () => parentPort.postMessage(text.split("\\r\\n")[0]));
`;

test("a connection that comes while the process waits for the processor is accepted", async () => {
  const door = createDoor();
  const server = createServer((_request, response) => door.enter(() => response.end("here")));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const flags = new Int32Array(new SharedArrayBuffer(8));
  const client = new Worker(CLIENT, { eval: true, workerData: { port, flags } });
  await once(client, "online");
  const answer = once(client, "message");
  const closing = door.close(server, Number.POSITIVE_INFINITY);
  await sleep(20);
  // The loop stands still until after the time in which connections are waited for.
  Atomics.store(flags, 0, 1);
  Atomics.notify(flags, 0);
  expect(Atomics.wait(flags, 1, 0, 10_000)).not.toBe("timed-out");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  expect(await answer).toEqual(["HTTP/1.1 200 OK"]);
  await closing;
  await client.terminate();
});
