import { requireSecretBox, type SecretServices } from "../workspaces/secret-box.ts";
import type { TraceDestinationRow } from "./destination-rows.ts";

type Sealed = Pick<TraceDestinationRow, "headers" | "headerNames">;

const placeOf = (sid: string): string => `trace-destination/${sid}`;

/** Encrypts the headers of a destination; null for none. Throws `invalid_request_error` without a key to do so. */
export function sealDestinationHeaders(
  services: SecretServices,
  sid: string,
  headers: Readonly<Record<string, string>>,
): Sealed {
  const headerNames = Object.keys(headers);
  if (headerNames.length === 0) return { headers: null, headerNames };
  const box = requireSecretBox(services, "headers");
  return { headers: box.encrypt(JSON.stringify(headers), placeOf(sid)), headerNames };
}

/** Decrypts the headers of a destination; undefined if none of the server's keys does. */
export function openDestinationHeaders(
  { secretBox }: SecretServices,
  { sid, headers }: Pick<TraceDestinationRow, "sid" | "headers">,
): Readonly<Record<string, string>> | undefined {
  if (headers === null) return {};
  try {
    // What was sealed is a record of strings.
    return JSON.parse(secretBox?.decrypt(headers, placeOf(sid)) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}
