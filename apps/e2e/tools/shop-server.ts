import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { afterAll, beforeAll } from "vitest";
import * as z from "zod";

/** How long the shop says that the list of its tools holds. */
export const LIST_TTL_MS = 3_600_000;

/** A PNG of one pixel. */
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A real MCP server of a shop, which counts what it is asked for. */
export interface ShopServer extends AsyncDisposable {
  readonly url: string;
  /** Its address, as `PARLEY_PRIVATE_HOSTS` names it. */
  readonly host: string;
  /** The calls that have reached it, in order. */
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
  /** The header `X-Shop-Key` of the newest request. */
  readonly key: string | undefined;
  /** Lets the waiting calls of `wait` end. */
  release(): void;
  /** Lets it offer one tool more, and say so in its next answer. */
  extend(): void;
}

/** Starts a shop for the tests of a file or of a `describe`, and stops it after them. */
export function shareShop(): () => ShopServer {
  let shop: ShopServer | undefined;
  beforeAll(async () => {
    shop = await startShopServer();
  });
  afterAll(async () => {
    await shop?.[Symbol.asyncDispose]();
  });
  return () => {
    if (shop === undefined) throw new Error("The shop has not started");
    return shop;
  };
}

/** Starts a shop on loopback. */
export async function startShopServer(): Promise<ShopServer> {
  const calls: { name: string; arguments: unknown }[] = [];
  let released = Promise.withResolvers<void>();
  let isExtended = false;
  let key: string | undefined;
  const text = (given: string) => ({ content: [{ type: "text" as const, text: given }] });
  const count = <T>(name: string, given: T): T => {
    calls.push({ name, arguments: given });
    return given;
  };
  const handler = createMcpHandler(() => {
    const server = new McpServer(
      { name: "shop", version: "1.2.3" },
      { instructions: "Sells shoes", cacheHints: { "tools/list": { ttlMs: LIST_TTL_MS } } },
    );
    const word = z.object({ word: z.string() });
    server.registerTool("find", { description: "Finds", inputSchema: word }, async (given) =>
      text(`Found ${count("find", given).word}`),
    );
    server.registerTool("buy", { description: "Buys", inputSchema: word }, async (given) =>
      text(`Bought ${count("buy", given).word}`),
    );
    server.registerTool("wait", { description: "Waits", inputSchema: word }, async (given) => {
      count("wait", given);
      await released.promise;
      return text("Waited");
    });
    server.registerTool("fail", { description: "Fails", inputSchema: word }, async (given) => {
      count("fail", given);
      return { ...text("Out of shoes"), isError: true };
    });
    server.registerTool("picture", { description: "Draws", inputSchema: word }, async (given) => {
      count("picture", given);
      const image = { type: "image" as const, data: pixel, mimeType: "image/png" };
      const resource = { uri: "shop://prices.csv", mimeType: "text/csv", text: "shoe,1" };
      return { content: [image, { type: "resource" as const, resource }] };
    });
    if (isExtended) {
      server.registerTool("sell", { description: "Sells", inputSchema: word }, async () =>
        text("Sold"),
      );
    }
    return server;
  });
  const answer = toNodeHandler(handler);
  const server = createServer((request, response) => {
    const { "x-shop-key": given } = request.headers;
    key = String(given);
    // It has all of that; only its optional members are typed otherwise.
    void answer(request as Parameters<typeof answer>[0], response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  // It listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    host: `127.0.0.1:${port}`,
    calls,
    get key() {
      return key;
    },
    release: () => {
      released.resolve();
      released = Promise.withResolvers();
    },
    extend: () => {
      isExtended = true;
    },
    [Symbol.asyncDispose]: async () => {
      released.resolve();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
