import { type IssuerOfUsers, isSafeUrl } from "@parley/core";
import type { ApiServices } from "../services.ts";

/** The issuer of the settings; undefined without one. Throws if they are incomplete or not safe. */
export function readIssuer(settings: ApiServices["settings"]): IssuerOfUsers | undefined {
  const {
    PARLEY_OIDC_ISSUER: url,
    PARLEY_OIDC_AUDIENCE: audience,
    PARLEY_OIDC_WORKSPACE: sid,
    PARLEY_OIDC_WORKSPACE_CLAIM: claim,
    PARLEY_OIDC_ALGORITHMS: algorithms,
    PARLEY_OIDC_LOOPBACK: loopback,
  } = settings;
  if (url === undefined) return undefined;
  const refuse = (what: string): never => {
    throw new Error(`Invalid configuration: PARLEY_OIDC_ISSUER needs ${what}`);
  };
  const allowsLoopback = loopback === "true";
  if (!isSafeUrl(new URL(url), { allowsLoopback })) refuse("a URL with https");
  if (audience === undefined) return refuse("PARLEY_OIDC_AUDIENCE");
  if (algorithms.length === 0) refuse("PARLEY_OIDC_ALGORITHMS");
  const issuer = { url, audience, algorithms, allowsLoopback };
  if ((sid === undefined) === (claim === undefined)) {
    refuse("either PARLEY_OIDC_WORKSPACE or PARLEY_OIDC_WORKSPACE_CLAIM");
  }
  return { ...issuer, workspace: sid === undefined ? { claim: claim ?? "" } : { sid } };
}
