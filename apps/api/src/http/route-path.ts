/** Fastify's form of an endpoint's path. The parameter `rel` is the rest of a path, with its slashes. */
export function routePath(path: string): string {
  return path.replace(/\{rel\}$/, "*").replaceAll(/\{(\w+)\}/g, ":$1");
}

/** The parameters of a path by the names that the endpoint has for them. */
export function namedParams(params: unknown): unknown {
  const { "*": rel, ...named } = params as Record<string, unknown>;
  return rel === undefined ? params : { ...named, rel };
}
