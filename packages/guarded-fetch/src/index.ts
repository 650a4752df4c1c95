export { isHost, parseAllowedHosts, requireAllowedUrl } from "./allowed-urls.ts";
export type { FetchLimits } from "./budget.ts";
export { FetchFault, type FetchFaultCode } from "./fetch-fault.ts";
export {
  createGuard,
  type FetchSession,
  type Guard,
  type GuardedInit,
  locationOf,
} from "./guarded-fetch.ts";
export { formsOfSecrets, hideForms, hideSecrets } from "./hide-secrets.ts";
export type { ResolveHost } from "./resolve-host.ts";
export { sendableHeaders, toStream } from "./send-request.ts";
