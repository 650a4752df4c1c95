import {
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

/** Endpoints that the client calls over REST; the administration and sessions it calls over the RPC. */
export type RouteName = {
  [N in EndpointName]: Endpoints[N] extends { readonly auth: EndpointAuth } ? never : N;
}[EndpointName];

/** What the paths of nearly all endpoints begin with: in `routes`, a `~` stands for it. */
export const workspacePath = "/api/v1/w/{wId}";

/** Method and path of every public endpoint, as in `GET ~/skills`. */
export const routes = Object.fromEntries(
  Object.entries(endpoints).flatMap(([name, endpoint]) =>
    "auth" in endpoint
      ? []
      : [[name, `${endpoint.method} ${endpoint.path.replace(workspacePath, "~")}`]],
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
