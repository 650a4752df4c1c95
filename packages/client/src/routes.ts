import type { EndpointName, Endpoints } from "@parley/schema";

/** Endpoints that have a path; the others are procedures of the internal RPC alone. */
export type RouteName = {
  [N in EndpointName]: Endpoints[N] extends { readonly path: string } ? N : never;
}[EndpointName];

type Routes = {
  readonly [N in RouteName]: `${Endpoints[N]["method"]} ${Endpoints[N]["path"]}`;
};

const conversations = "/api/v1/w/{wId}/assistant/conversations";
const conversation = `${conversations}/{cId}` as const;
const message = `${conversation}/messages/{mId}` as const;
const files = "/api/v1/w/{wId}/files";
const skills = "/api/v1/w/{wId}/skills";
const functions = "/api/w/{wId}/sandbox-functions";
const invocations = `${functions}/{functionId}/invocations` as const;

/**
 * Method and path of every public endpoint. The types are the endpoint table's own, so a route that
 * is missing or wrong does not compile; the table itself would bring all its schemas along.
 */
export const routes = {
  "agents.list": "GET /api/v1/w/{wId}/assistant/agent_configurations",
  "contentFragments.create": `POST ${conversation}/content_fragments`,
  "conversations.cancel": `POST ${conversation}/cancel`,
  "conversations.create": `POST ${conversations}`,
  "conversations.delete": `DELETE ${conversation}`,
  "conversations.events": `GET ${conversation}/events`,
  "conversations.get": `GET ${conversation}`,
  "conversations.list": `GET ${conversations}`,
  "conversations.update": `PATCH ${conversation}`,
  "files.create": `POST ${files}`,
  "files.get": `GET ${files}/{fileId}`,
  "files.upload": `POST ${files}/{fileId}`,
  "invocations.cancel": `POST ${invocations}/{invocationId}/cancel`,
  "invocations.get": `GET ${invocations}/{invocationId}`,
  "invocations.list": `GET ${invocations}`,
  "messages.create": `POST ${conversation}/messages`,
  "messages.events": `GET ${message}/events`,
  "messages.retry": `POST ${message}/retry`,
  "messages.validateAction": `POST ${message}/validate-action`,
  "sandboxFunctions.events": `GET ${invocations}/{invocationId}/events`,
  "sandboxFunctions.invoke": `POST ${invocations}`,
  "sandboxFunctions.list": `GET ${functions}`,
  "skills.import": `POST ${skills}`,
  "skills.list": `GET ${skills}`,
  "spaces.list": "GET /api/v1/w/{wId}/spaces",
} as const satisfies Routes;

/** What the client calls the parameters of paths that the wire abbreviates. */
export const parameterNames = { cId: "conversationId", mId: "messageId" } as const;

/** The path of an endpoint with its parameters filled in, and which members of the input it took. */
export function fillPath(
  name: RouteName,
  workspaceId: string,
  input: Readonly<Record<string, unknown>>,
): { method: string; path: string; taken: ReadonlySet<string> } {
  const [method = "", template = ""] = routes[name].split(" ");
  const taken = new Set<string>();
  const path = template.replace(/\{(\w+)\}/g, (_match, parameter: string) => {
    if (parameter === "wId") return encodeURIComponent(workspaceId);
    const member = parameterNames[parameter as keyof typeof parameterNames] ?? parameter;
    taken.add(member);
    const value = input[member];
    // A dot segment would be resolved away, and the request go to another endpoint.
    if (typeof value !== "string" || value === "" || value === "." || value === "..") {
      throw new TypeError(`${name}: ${member} must be the id of something`);
    }
    return encodeURIComponent(value);
  });
  return { method, path, taken };
}
