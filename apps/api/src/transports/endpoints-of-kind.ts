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
