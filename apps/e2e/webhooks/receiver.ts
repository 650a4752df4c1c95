import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What came to a receiver. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly json: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
}

/** A server that webhooks are sent to; `answer` decides what it says, 204 by default. */
export async function startReceiver(
  answer: (response: ServerResponse, received: Received) => void = (response) =>
    void response.writeHead(204).end(),
) {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const one = { headers: request.headers, body, json: JSON.parse(body) as Received["json"] };
    received.push(one);
    for (const look of waiting) look();
    answer(response, one);
  };
  const server = createServer((request, response) => {
    // A sender that goes away in the middle has sent nothing.
    take(request, response).catch(() => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/events`,
    received,
    /** Resolves with what came, once it is as many of a type. */
    until: async (count: number, type?: string): Promise<Received[]> => {
      const found = () => received.filter(({ json }) => type === undefined || json.type === type);
      const { promise, resolve } = Promise.withResolvers<Received[]>();
      const look = () => found().length >= count && resolve(found());
      waiting.add(look);
      look();
      return promise.finally(() => waiting.delete(look));
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
