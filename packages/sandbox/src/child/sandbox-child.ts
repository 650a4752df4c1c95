// A child of the sandbox: it runs one module at a time, each in an instance of its own. Its standard input and
// output carry frames, and it has nothing else. Only types are stripped here, and no package of the workspace
// is found: imports must need neither.
import { createFrameReader, encodeFrame, writeAll } from "./frames.ts";
import { createGuest, type Guest } from "./guest.ts";
import type { FromChild, ToChild } from "./messages.ts";

const OUT = 1;

const send = (message: FromChild, body?: Uint8Array): void => {
  writeAll(OUT, encodeFrame(message, body));
};

/** What runs next is made, or made as new, when a result has left. */
let next: Guest = await createGuest(send);
let running: Guest | undefined;

/** Makes an instance when the memory of those before is free, which counts as this process's. */
async function replaceGuest(): Promise<Guest> {
  const made = await createGuest(send);
  (globalThis as { gc?: () => void }).gc?.();
  return made;
}

const receive = async (message: ToChild, body: Buffer): Promise<void> => {
  if (message.type === "fetched") running?.fetched(message.id, message.answer, body);
  else if (message.type === "resume") running?.resume();
  else if (message.type === "end") running?.end();
  else {
    const { memoryBytes } = message.limits;
    running = memoryBytes > next.memoryBytes ? await createGuest(send, memoryBytes) : next;
    await running.run(message, body.toString());
    running = undefined;
    if (!next.renew()) next = await replaceGuest();
    send({ type: "ready" });
  }
};

const read = createFrameReader<ToChild>(() => Infinity);
process.stdin.on("data", (chunk: Buffer) => {
  for (const { message, body } of read(chunk)) void receive(message, body);
});
// The sandbox is gone.
process.stdin.on("end", () => process.exit());
send({ type: "ready" });
