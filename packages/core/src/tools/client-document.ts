/** Who Parley is at authorization servers, which may read it at a URL that is then the client's id. */

/** The path that users come back to from an authorization server that knows Parley by a client of its own. */
export const CALLBACK_PATH = "/oauth/callback";
/** The path that they come back to if the document is the client. Codes are taken there with `iss` alone. */
export const DOCUMENT_CALLBACK_PATH = "/oauth/callback/document";
/** The path of the document. */
export const CLIENT_DOCUMENT_PATH = "/oauth/client-metadata.json";
/** How Parley is named on the pages of authorization servers. */
export const APPLICATION_NAME = "Parley";

/**
 * The URL of the document (draft-ietf-oauth-client-id-metadata-document), as it has to be a client's id: of https,
 * normalized, without credentials, query and fragment. Undefined if the public URL gives none.
 */
export function clientDocumentUrl(publicUrl: string): string | undefined {
  const url = URL.parse(publicUrl + CLIENT_DOCUMENT_PATH);
  if (url?.protocol !== "https:" || !url.pathname.endsWith(CLIENT_DOCUMENT_PATH)) return undefined;
  return url.username === "" && url.password === "" ? url.href : undefined;
}

/** Where users of this client come back to. */
export function redirectUrlOf(publicUrl: string, clientId: string): string {
  const isDocument = clientId === clientDocumentUrl(publicUrl);
  return publicUrl + (isDocument ? DOCUMENT_CALLBACK_PATH : CALLBACK_PATH);
}

/** The document at that URL: a public client with PKCE, and nothing secret. Undefined if there is no such URL. */
export function renderClientDocument(publicUrl: string): object | undefined {
  const clientId = clientDocumentUrl(publicUrl);
  if (clientId === undefined) return undefined;
  return {
    client_id: clientId,
    client_name: APPLICATION_NAME,
    client_uri: clientId.slice(0, -CLIENT_DOCUMENT_PATH.length),
    redirect_uris: [redirectUrlOf(publicUrl, clientId)],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}
