import {
  type Endpoint,
  type EndpointAuth,
  type EndpointName,
  type Endpoints,
  endpoints,
  EXECUTABLE_TYPE,
  errorTable,
  terminalTypes,
} from "@parley/schema";

// What the client needs of the schemas' tables. The build evaluates this module and bundles its values,
// so that the package carries no schemas: they must be JSON.

/**
 * Endpoints that the client calls over REST. The administration, sessions, and the tables of data sources, for which a page
 * that loads the client need not pay, it calls over the RPC.
 */
export type RouteName = {
  [N in EndpointName]: N extends OverRpc
    ? never
    : Endpoints[N] extends { readonly auth: EndpointAuth }
      ? never
      : N;
}[EndpointName];

type OverRpc = `${(typeof groupsOverRpc)[number]}.${string}`;
const groupsOverRpc = ["tables", "tableRows"] as const;
const isOverRpc = (name: string): boolean =>
  groupsOverRpc.some((group) => name.startsWith(`${group}.`));

/** What the paths of many endpoints begin with, by what stands for it in `routes`; what another begins with comes later. */
export const prefixes: Readonly<Record<string, string>> = {
  "^": "/api/v1/w/{wId}/assistant/conversations/{cId}",
  "@": "/api/v1/w/{wId}/assistant/agent_configurations",
  "%": "/api/v1/w/{wId}/data_sources/{dsId}",
  "~": "/api/v1/w/{wId}",
  $: "/api/w/{wId}/sandbox-functions",
};

/** A path in which the parameters that are numbers have a `#`. */
function markNumbers({ path, params }: Pick<Endpoint, "path" | "params">): string {
  return path.replace(/\{(\w+)\}/g, (parameter, name: string) =>
    typeof params?.shape[name]?.safeParse("1").data === "number" ? `{#${name}}` : parameter,
  );
}

function shorten(path: string): string {
  const [short, prefix] = Object.entries(prefixes).find(([, one]) => path.startsWith(one)) ?? [];
  return short === undefined || prefix === undefined ? path : short + path.slice(prefix.length);
}

/** Method and path of each of them, as in `GET ~/skills`; parameters that are numbers are `{#name}`. */
export const routes = Object.fromEntries(
  Object.entries<Endpoint>(endpoints).flatMap(([name, endpoint]) =>
    "auth" in endpoint || isOverRpc(name)
      ? []
      : [[name, `${endpoint.method} ${shorten(markNumbers(endpoint))}`]],
  ),
) as Readonly<Record<RouteName, string>>;

/** The content type of an executable file in a form. */
export const executableType = EXECUTABLE_TYPE;

/** Types of errors after which the same request may succeed later. */
export const retryableTypes: readonly string[] = Object.entries(errorTable).flatMap(
  ([type, { retryable }]) => (retryable ? type : []),
);

/** Types of the events that end their stream. */
export const terminalEventTypes: readonly string[] = [...terminalTypes];
