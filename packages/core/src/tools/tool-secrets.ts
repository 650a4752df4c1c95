/** The secrets of connections as they are stored: each is bound to the row and the column that it is in. */
import type { ConnectionClient } from "@parley/db";
import { ParleyError } from "@parley/schema";
import {
  type EncryptedSecret,
  requireSecretBox,
  type SecretServices,
} from "../workspaces/secret-box.ts";
import type { ConnectionRow, ServerRow } from "./tool-connections.ts";

type SecretName = "headers" | "oauth" | "token" | "authorization";

/** A secret of a tool, or of one of its users. */
export interface NamedSecret {
  readonly tool: Pick<ServerRow, "sid">;
  readonly name: SecretName;
  readonly userId?: number;
}

type Sealed = Pick<ConnectionRow, "headers" | "headerNames">;

/** Encrypts the headers of a tool; null for none. Throws `invalid_request_error` without a key to do so. */
export function sealHeaders(
  services: SecretServices,
  tool: Pick<ServerRow, "sid">,
  headers: Readonly<Record<string, string>>,
): Sealed {
  const headerNames = Object.keys(headers);
  if (headerNames.length === 0) return { headers: null, headerNames };
  const text = JSON.stringify(headers);
  return { headers: sealSecret(services, { tool, name: "headers", text }), headerNames };
}

/** What Parley is at an authorization server. */
export interface NewClient extends ConnectionClient {
  readonly clientSecret?: string | undefined;
  readonly authorizationServer?: object | undefined;
}

type SealedClient = Pick<
  ConnectionRow,
  "oauth" | "clientSecret" | "authorizationServer" | "token" | "tokenUntil"
>;

/** Encrypts what Parley is at an authorization server, without a token yet; null for nothing. */
export function sealClient(
  services: SecretServices,
  tool: Pick<ServerRow, "sid">,
  client: NewClient | undefined,
): SealedClient {
  const none = { clientSecret: null, authorizationServer: null, token: null, tokenUntil: 0 };
  if (client === undefined) return { oauth: null, ...none };
  const { clientSecret: text, authorizationServer = null, ...oauth } = client;
  const clientSecret =
    text === undefined ? null : sealSecret(services, { tool, name: "oauth", text });
  return { ...none, oauth, clientSecret, authorizationServer };
}

const placeOf = ({ tool, name, userId }: NamedSecret): string =>
  userId === undefined ? `${tool.sid}/${name}` : `${tool.sid}/${userId}/${name}`;

/** Encrypts a secret. Throws `invalid_request_error` without a key to do so. */
export function sealSecret(
  services: SecretServices,
  { text, ...named }: NamedSecret & { readonly text: string },
): EncryptedSecret {
  return requireSecretBox(services, named.name).encrypt(text, placeOf(named));
}

/** Decrypts a secret. Throws `tool_unreachable` if none of the server's keys does. */
export function openSecret(
  { secretBox }: SecretServices,
  stored: EncryptedSecret,
  named: NamedSecret,
): string {
  try {
    if (secretBox === undefined) throw new Error("PARLEY_ENCRYPTION_KEY is not set");
    return secretBox.decrypt(stored, placeOf(named));
  } catch (cause) {
    const message = "The secrets of the tool cannot be decrypted by this server's keys";
    throw new ParleyError("tool_unreachable", message, { cause });
  }
}
