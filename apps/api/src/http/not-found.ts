import { doors, type Endpoint, endpoints, ParleyError, pathsOf } from "@parley/schema";
import type { FastifyInstance } from "fastify";

/** Refuses unknown paths, and known paths with a wrong method, before a body is read. */
export function registerNotFound(app: FastifyInstance): void {
  const all: readonly Endpoint[] = Object.values({ ...endpoints, ...doors });
  const paths = all.flatMap((endpoint) => {
    const { kind, method, path } = endpoint;
    const more = kind === "stream" ? [path.replace("/api/", "/api/sse/")] : [];
    const both = kind === "door" ? pathsOf(endpoint) : [path, ...more];
    return both.map((one) => ({
      method,
      pattern: new RegExp(`^${one.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    }));
  });
  paths.push({
    method: "GET",
    pattern:
      /^\/(?:livez|readyz|openapi\.json|docs|llms\.txt|oauth\/(?:callback(?:\/document)?|client-metadata\.json)|w\/[^/]+\/conversation\/[^/]+|pictures\/(?:agent|user)-1\.svg)$/,
  });
  paths.push({
    method: "POST",
    pattern:
      /^\/(?:mcp|oauth\/callback(?:\/document)?|api\/v1\/w\/[^/]+\/triggers\/(?:hooks\/[^/]+|signed)\/[^/]+)$/,
  });
  app.addHook("onRequest", async (request, reply) => {
    // The route `*` is for preflights, which have their response already.
    if (!request.is404 && request.routeOptions.url !== "*") return;
    const [path = ""] = request.url.split("?");
    const allowed = paths.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    if (allowed.length === 0) throw new ParleyError("not_found", "No such route");
    reply.header("Allow", [...new Set(allowed)].join(", "));
    throw new ParleyError(
      "method_not_supported_error",
      `${request.method} is not supported here: use ${allowed.join(" or ")}`,
    );
  });
}
