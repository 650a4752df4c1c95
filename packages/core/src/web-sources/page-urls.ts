/** URLs of pages: rules without a database. */
import { createHash } from "node:crypto";

/** Characters of a URL, and of the id of a document. */
const MAX_URL_CHARACTERS = 2048;
const MAX_ID_CHARACTERS = 255;
const HASH_CHARACTERS = 16;

/**
 * The page that a link leads to, without a fragment; undefined for one of another origin, for what is no page, and for a URL
 * that is too long.
 */
export function pageUrl(link: string, from: string): string | undefined {
  const url = URL.parse(link, from);
  if (url === null || url.origin !== new URL(from).origin || url.username !== "") return undefined;
  url.hash = "";
  return url.href.length <= MAX_URL_CHARACTERS ? url.href : undefined;
}

/** The id of the document that a page of a web source is: its path, behind the id of the source. */
export function documentIdOf(sourceSid: string, url: string): string {
  const { pathname, search } = new URL(url);
  const id = `${sourceSid}${pathname}${search}`;
  if (id.length <= MAX_ID_CHARACTERS) return id;
  const hash = createHash("sha256").update(id).digest("hex").slice(0, HASH_CHARACTERS);
  return `${id.slice(0, MAX_ID_CHARACTERS - HASH_CHARACTERS - 1)}~${hash}`;
}
