// What a service itself said of a failure. Builders and admins read it, users never: it may quote what was sent.

import { APICallError } from "@ai-sdk/provider";
import { hideSecrets } from "@parley/guarded-fetch";
import { MAX_PROVIDER_MESSAGE_BYTES, type ProviderError, toStorable } from "@parley/schema";

type Headers = Readonly<Record<string, string>>;

/**
 * Reads what the service said, without `secret` and cut at a character; undefined if it said nothing, as
 * if the connection broke. `headers` are those of the answer in which it reported an error.
 */
export function readProviderError(
  error: unknown,
  secret: string | undefined,
  headers: Headers | undefined,
): ProviderError | undefined {
  const said = redact(toStorable(messageOf(error)), secret).trim();
  if (said === "") return undefined;
  const bytes = new Uint8Array(MAX_PROVIDER_MESSAGE_BYTES);
  const message = said.slice(0, new TextEncoder().encodeInto(said, bytes).read);
  const ofError = APICallError.isInstance(error) ? error.responseHeaders : undefined;
  return { message, requestId: readRequestId({ ...headers, ...ofError }, secret) };
}

function messageOf(error: unknown): string {
  if (APICallError.isInstance(error)) {
    // With `data` the AI SDK has found the message in the body; else its own is that of the status.
    return (error.data === undefined ? error.responseBody : error.message) ?? "";
  }
  // The AI SDK's own errors, and those of connections, name addresses of the deployment.
  if (error instanceof Error) return "";
  if (typeof error === "string") return error;
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === "string" ? message : (JSON.stringify(error) ?? "");
}

function readRequestId(headers: Headers, secret: string | undefined): string | null {
  const id = redact(headers["request-id"] ?? headers["x-request-id"] ?? "", secret);
  return /^[\w.:-]{1,128}$/.test(id) ? id : null;
}

/** Hides the credential however it is written, and what looks like others: services quote parts of requests. */
export function redact(text: string, secret: string | undefined): string {
  let redacted = text;
  if (secret) {
    // As it was sent and in JSON, it is hidden however short it is.
    redacted = hideSecrets(text, [secret])
      .replaceAll(JSON.stringify(secret).slice(1, -1), "[hidden]")
      .replaceAll(secret, "[hidden]");
  }
  return redacted.replaceAll(/\b(?:sk|key|AIza)[-_\w*]{8,}/g, "[hidden]");
}
