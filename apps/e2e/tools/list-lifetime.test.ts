import { createMcpConnections } from "@parley/mcp";
import { expect, it } from "vitest";
import { LIST_TTL_MS, startShopServer } from "./shop-server.ts";

it("a server of the newest revision says how long the list of its tools holds", async () => {
  await using shop = await startShopServer();
  const connections = createMcpConnections({
    allowedHosts: [shop.host],
    name: "parley",
    version: "1.0.0",
  });
  const { signal } = new AbortController();
  const limits = { timeoutMs: 5000, maxBytes: 100_000, signal };
  const listed = await connections.listTools({ url: shop.url, headers: {} }, limits);
  expect(listed).toMatchObject({ type: "listed", ttlMs: LIST_TTL_MS });
  await connections.close();
});
