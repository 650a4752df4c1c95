import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A service whose model says its first word when it is told to. */
export interface FirstTokenService {
  /** Its base URL, as a provider that is compatible with OpenAI has it. */
  readonly url: string;
  /** Waits for the next request, says one word and ends. Gives when the word was written. */
  answer(): Promise<number>;
}

const frameOf = (choice: object): string =>
  `data: ${JSON.stringify({
    id: "1",
    object: "chat.completion.chunk",
    created: 0,
    model: "bench",
    choices: [{ index: 0, finish_reason: null, ...choice }],
  })}\n\n`;

/** Starts it on loopback. */
export async function startFirstTokenService(
  resources: AsyncDisposableStack,
): Promise<FirstTokenService> {
  const asked: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    request.once("end", () => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.flushHeaders();
      asked.push(response);
      server.emit("asked");
    });
  });
  server.listen(0, "127.0.0.1");
  resources.defer(() => server.close().closeAllConnections());
  await once(server, "listening");
  // A server on a TCP port has an address of this type.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    answer: async () => {
      if (asked.length === 0) await once(server, "asked");
      const response = asked.shift();
      const wroteAt = performance.now();
      response?.write(frameOf({ delta: { role: "assistant", content: "word" } }));
      response?.end(`${frameOf({ delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`);
      return wroteAt;
    },
  };
}
