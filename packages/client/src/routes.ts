import { prefixes, type RouteName, routes } from "./schema-tables.ts";

/** The client's names of path parameters that the wire abbreviates. */
export const parameterNames = {
  cId: "conversationId",
  mId: "messageId",
  sId: "agentId",
} as const;

/** The path of an endpoint with its parameters filled in, and the members of the input that it took. */
export function fillPath(
  name: RouteName,
  workspaceId: string,
  input: Readonly<Record<string, unknown>>,
): { method: string; path: string; taken: ReadonlySet<string> } {
  const [method = "", template = ""] = routes[name].split(" ");
  const taken = new Set<string>();
  const path = template
    .replace(/^[^/]/, (short) => prefixes[short] ?? short)
    .replace(/\{(#?)(\w+)\}/g, (_match, isNumber: string, parameter: string) => {
      if (parameter === "wId") return encodeURIComponent(workspaceId);
      const member = parameterNames[parameter as keyof typeof parameterNames] ?? parameter;
      taken.add(member);
      const value = input[member];
      if (isNumber) {
        if (Number.isSafeInteger(value)) return String(value);
        throw new TypeError(`${name}: ${member} must be an integer`);
      }
      // A dot segment would be resolved, and lead to another endpoint.
      if (typeof value !== "string" || value === "" || value === "." || value === "..") {
        throw new TypeError(`${name}: ${member} must be an id`);
      }
      return encodeURIComponent(value);
    });
  return { method, path, taken };
}
