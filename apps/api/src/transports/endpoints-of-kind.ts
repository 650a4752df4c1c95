import { type Endpoint, endpoints } from "@parley/schema";

/** The endpoints of a kind, each with its implementation. Throws where one has none. */
export function endpointsOfKind<K extends Endpoint["kind"], I>(
  kind: K,
  implementations: Readonly<Record<string, I>>,
) {
  return Object.entries<Endpoint>(endpoints).flatMap(([name, endpoint]) => {
    if (endpoint.kind !== kind) return [];
    const implementation = implementations[name];
    if (implementation === undefined) throw new Error(`${name} has no implementation`);
    return [{ name, implementation, endpoint: endpoint as Extract<Endpoint, { kind: K }> }];
  });
}
