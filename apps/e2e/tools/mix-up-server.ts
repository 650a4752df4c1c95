import type { IncomingMessage, ServerResponse } from "node:http";
import { startLoopback } from "@parley/guarded-fetch/testing";
import type { AccountServer } from "./account-server.ts";

interface MixUp {
  /** Its authorization endpoint. */
  readonly page?: (origin: string) => string;
  /** What its metadata claims besides. */
  readonly claims?: object;
  /** What its page changes of a request before it leads to the honest one. */
  readonly changes?: Readonly<Record<string, string>>;
}

/** A server that wants codes of the honest one: it counts what its token endpoint gets. */
export async function startMixUpServer(
  honest: Pick<AccountServer, "origin" | "mcpUrl">,
  { page = (origin) => `${origin}/authorize`, claims = {}, changes = {} }: MixUp = {},
) {
  const tokenRequests: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const origin = `http://${request.headers.host ?? ""}`;
    const { pathname, search } = new URL(request.url ?? "/", origin);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    response.setHeader("content-type", "application/json");
    if (pathname === "/.well-known/oauth-authorization-server") {
      const endpoints = {
        authorization_endpoint: page(origin),
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
      };
      const methods = { code_challenge_methods_supported: ["S256"] };
      const types = { response_types_supported: ["code"] };
      response.end(
        JSON.stringify({ issuer: origin, ...endpoints, ...methods, ...types, ...claims }),
      );
    } else if (pathname === "/register") {
      const headers = { "content-type": "application/json" };
      const registered = await fetch(`${honest.origin}/reg`, { method: "POST", headers, body });
      response.writeHead(registered.status).end(await registered.text());
    } else if (pathname === "/authorize") {
      const given = new URLSearchParams(search);
      const changed = { resource: honest.mcpUrl, scope: "tools:call", ...changes };
      for (const [name, value] of Object.entries(changed)) given.set(name, value);
      response.writeHead(302, { location: `${honest.origin}/auth?${given}` }).end();
    } else if (pathname === "/token") {
      tokenRequests.push(body);
      response.end(JSON.stringify({ access_token: "anything", token_type: "Bearer" }));
    } else response.writeHead(pathname === "/mcp" ? 401 : 404).end("{}");
  };
  const loopback = await startLoopback((...given) => void answer(...given));
  return Object.assign(loopback, { tokenRequests });
}
