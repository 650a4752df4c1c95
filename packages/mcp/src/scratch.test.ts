import { createServer } from "node:http";
import { it } from "vitest";
import { createMcpConnections } from "./index.ts";
it("x", async () => {
  const s = createServer((req, res) => {
    let b = "";
    req
      .on("data", (d) => (b += d))
      .on("end", () => {
        console.log(req.method, req.headers, b.slice(0, 300));
        const m = b ? JSON.parse(b) : {};
        res.setHeader("content-type", "application/json");
        if (m.method === "server/discover")
          res.end(
            JSON.stringify({
              jsonrpc: "2.0",
              id: m.id,
              result: {
                resultType: "complete",
                supportedVersions: ["2026-07-28"],
                capabilities: { tools: {} },
                ttlMs: 0,
                cacheScope: "private",
              },
            }),
          );
        else if (m.method === "tools/list")
          res.end(
            JSON.stringify({
              jsonrpc: "2.0",
              id: m.id,
              result: {
                resultType: "complete",
                ttlMs: 5000,
                cacheScope: "private",
                tools: [
                  {
                    name: "a",
                    inputSchema: {
                      type: "object",
                      properties: { q: { type: "string", "x-mcp-header": "Q" } },
                    },
                  },
                ],
              },
            }),
          );
        else
          res.end(
            JSON.stringify({
              jsonrpc: "2.0",
              id: m.id,
              result: {
                resultType: "complete",
                content: [{ type: "text", text: "hi\u0000" }],
                structuredContent: { a: 1 },
              },
            }),
          );
      });
  });
  await new Promise<void>((r) => s.listen(0, "127.0.0.1", r));
  const port = (s.address() as any).port;
  const c = createMcpConnections({
    allowedHosts: [`127.0.0.1:${port}`],
    name: "parley",
    version: "1",
  });
  const o = { timeoutMs: 5000, maxBytes: 1e6, signal: new AbortController().signal };
  const server = {
    url: `http://127.0.0.1:${port}/mcp`,
    headers: { authorization: "Bearer secretsecret" },
  };
  console.log(JSON.stringify(await c.listTools(server, o)));
  console.log(JSON.stringify(await c.callTool(server, { name: "a", arguments: { q: "z" } }, o)));
  console.log(
    JSON.stringify(
      await c.callTool(
        server,
        {
          name: "a",
          arguments: { q: "z" },
          inputSchema: {
            type: "object",
            properties: { q: { type: "string", "x-mcp-header": "Q" } },
          },
        },
        o,
      ),
    ),
  );
  await c.close();
  s.close();
});
