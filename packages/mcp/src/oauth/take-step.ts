import {
  type FetchLike,
  OAuthError,
  RegistrationRejectedError,
} from "@modelcontextprotocol/client";
import { FetchFault, type Guard, hideSecrets } from "@parley/guarded-fetch";
import { toStorable } from "@parley/schema";
import type { OAuthFailure, OAuthOptions } from "./contract.ts";

const MAX_BYTES = 262_144;
const MAX_REQUESTS = 16;
const MAX_MESSAGE = 500;

/** Takes a step with a guarded fetch of its own. `secrets` do not appear in its failure. */
export async function takeStep<T>(
  guard: Guard,
  options: OAuthOptions & { readonly secrets?: readonly (string | undefined)[] },
  step: (fetch: FetchLike) => Promise<T>,
): Promise<T | OAuthFailure> {
  const { timeoutMs, signal, secrets = [] } = options;
  await using session = guard.open({
    timeoutMs,
    signal,
    maxBytes: MAX_BYTES,
    maxRequests: MAX_REQUESTS,
  });
  const fetch: FetchLike = async (url, init = {}) => {
    const response = await session.fetch(url, {
      method: init.method ?? "GET",
      headers: new Headers(init.headers),
      ...(init.body != null && { body: String(init.body) }),
      // The protocol's client follows redirects itself, within an origin.
      redirect: "manual",
    });
    if (response.status < 500) return response;
    const host = new URL(String(url)).host;
    throw new FetchFault("unreachable", `${host} answered with HTTP ${response.status}`);
  };
  try {
    return await step(fetch);
  } catch (error) {
    const failure = toFailure(session.fault ?? error);
    const message = hideSecrets(toStorable(failure.message), secrets).slice(0, MAX_MESSAGE);
    return { ...failure, message: message.toWellFormed() };
  }
}

const MAX_ERROR = 100;

function toFailure(error: unknown): OAuthFailure {
  if (error instanceof FetchFault) {
    return { type: "failed", code: error.code, message: error.message };
  }
  if (error instanceof OAuthError) {
    const name = toStorable(error.code).slice(0, MAX_ERROR);
    const message = `The authorization server refused: ${name}: ${error.message}`;
    return { type: "failed", code: "rejected", message, error: name };
  }
  if (error instanceof RegistrationRejectedError) {
    const message = `The authorization server registers no client: HTTP ${error.status}`;
    return { type: "failed", code: "rejected", message };
  }
  const message = "The authorization server's answer is not what OAuth describes";
  return { type: "failed", code: "bad_answer", message };
}
