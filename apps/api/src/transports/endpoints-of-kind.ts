import { implementations } from "@parley/core";
import { type Endpoint, endpoints } from "@parley/schema";

const implemented: Readonly<Record<string, unknown>> = implementations;

/** The endpoints of a kind, each with its implementation. Core has checked its type, which callers know. */
export function endpointsOfKind<K extends Endpoint["kind"]>(kind: K) {
  return Object.entries<Endpoint>(endpoints).flatMap(([name, endpoint]) => {
    if (endpoint.kind !== kind) return [];
    return [
      {
        name,
        implementation: implemented[name],
        endpoint: endpoint as Extract<Endpoint, { kind: K }>,
      },
    ];
  });
}

/** Fastify's form of an endpoint's path. The parameter `rel` is the rest of a path, with its slashes. */
export function routePath(path: string): string {
  return path.replace(/\{rel\}$/, "*").replaceAll(/\{(\w+)\}/g, ":$1");
}

/** The parameters of a path by the names that the endpoint has for them. */
export function namedParams(params: unknown): unknown {
  const { "*": rel, ...named } = params as Record<string, unknown>;
  return rel === undefined ? params : { ...named, rel };
}
