import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import path from "node:path";
import { build } from "esbuild";
import { createRpcClient } from "parley-client";
import type { Parley } from "./parley.ts";

const web = path.join(import.meta.dirname, "web");

/** Serves the page, and gives its visitors tokens: they never see the key. */
export async function servePage(
  { url, workspaceId, apiKey }: Parley,
  port: number,
): Promise<Server> {
  const { outputFiles } = await build({
    entryPoints: [path.join(web, "chat.ts")],
    bundle: true,
    format: "esm",
    minify: true,
    write: false,
  });
  const files: Record<string, [type: string, body: string]> = {
    "/": ["text/html; charset=utf-8", await readFile(path.join(web, "index.html"), "utf8")],
    "/chat.js": ["text/javascript; charset=utf-8", outputFiles[0]?.text ?? ""],
  };
  const rpc = createRpcClient({ url, apiKey });
  const server = createServer(async (request, response) => {
    try {
      if (request.method === "POST" && request.url === "/token") {
        // Visitors see their own conversations alone. Once somebody is signed in, name your own user here.
        const [, known] = /(?:^|; )visitor=([\w-]{36})/.exec(request.headers.cookie ?? "") ?? [];
        const visitor = known ?? randomUUID();
        response.setHeader("Set-Cookie", `visitor=${visitor}; HttpOnly; SameSite=Strict; Path=/`);
        const { secret } = await rpc.userTokens.create.mutate({
          wId: workspaceId,
          externalId: `visitor-${visitor}`,
          scopes: ["conversations:read", "conversations:write", "agents:read"],
        });
        response.setHeader("Content-Type", "application/json");
        response.end(JSON.stringify({ url, workspaceId, token: secret }));
        return;
      }
      const [type, body] = files[request.url ?? ""] ?? [];
      response.writeHead(body === undefined ? 404 : 200, { "Content-Type": type ?? "text/plain" });
      response.end(body ?? "Not found\n");
    } catch (error) {
      console.error(error);
      response.writeHead(502).end();
    }
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}
