import { invalidRequest } from "@parley/schema";

/** Reads a base64 `data:` URL. Throws `invalid_request_error` for what is none. */
export function readDataUrl(
  url: string,
  path: string,
): { readonly contentType: string; readonly bytes: Buffer } {
  const [, contentType = "", data = ""] =
    /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w=.+-]+)*;base64,([A-Za-z0-9+/=_-]*)$/.exec(url) ?? [];
  const bytes = Buffer.from(data, "base64");
  if (bytes.length > 0) return { contentType: contentType.toLowerCase(), bytes };
  const message = "must be a data: URL with a MIME type and base64, and not be empty";
  throw invalidRequest("body", [{ path, message }]);
}
