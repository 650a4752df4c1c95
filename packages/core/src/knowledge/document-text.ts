import { invalidRequest, MAX_DOCUMENT_CHARACTERS } from "@parley/schema";

/** A part of a structured text. */
interface DocumentSection {
  readonly prefix?: string | null | undefined;
  readonly content?: string | null | undefined;
  readonly sections?: readonly DocumentSection[] | null | undefined;
}

/** What a body says of the text of a document. */
interface GivenText {
  readonly text?: string | undefined;
  readonly section?: DocumentSection | undefined;
}

/** The text of a body, or of its sections in order. Throws `invalid_request_error`. */
export function textOf({ text, section }: GivenText): string {
  const refuse = (path: string, message: string) => invalidRequest("body", [{ path, message }]);
  if ((text === undefined) === (section === undefined)) {
    throw refuse("", "must have either text or section");
  }
  const joined = text ?? linesOf(section).join("\n");
  if (joined.length <= MAX_DOCUMENT_CHARACTERS) return joined;
  throw refuse("section", `must be at most ${MAX_DOCUMENT_CHARACTERS} characters in all`);
}

function linesOf(section: DocumentSection | undefined): string[] {
  const { prefix, content, sections } = section ?? {};
  const own = [prefix, content].flatMap((part) => part?.trimEnd() || []);
  return [...own, ...(sections ?? []).flatMap(linesOf)];
}

/** What a body says of the place of a node. */
interface GivenPlace {
  readonly parent_id?: string | undefined;
  readonly parents?: readonly string[] | undefined;
}

/**
 * The id of a node and those of the folders around it, from the inside out. `parents` may leave out the
 * node itself. Throws `invalid_request_error` where the body contradicts itself.
 */
export function parentsOf(nodeId: string, { parent_id: parentId, parents }: GivenPlace): string[] {
  const around = parents === undefined && parentId !== undefined ? [parentId] : (parents ?? []);
  const all = around[0] === nodeId ? [...around] : [nodeId, ...around];
  const refuse = (path: string, message: string) => invalidRequest("body", [{ path, message }]);
  if (parentId !== undefined && all[1] !== parentId) {
    throw refuse("parent_id", "must be the second of parents, after the node itself");
  }
  if (new Set(all).size < all.length) {
    throw refuse(parents === undefined ? "parent_id" : "parents", "must name each id once");
  }
  return all;
}

/** A part of a text, and where it begins. */
export interface Excerpt {
  readonly text: string;
  readonly offset: number;
}

/** Characters of an excerpt, and how many of them come before what was found. */
const EXCERPT_CHARACTERS = 2000;
const LEAD_CHARACTERS = 200;

/** The part of a text around the first word of a query, or its beginning. */
export function excerptOf(text: string, query: string): Excerpt {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const lower = text.toLowerCase();
  const found = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const offset = found.length === 0 ? 0 : Math.max(0, Math.min(...found) - LEAD_CHARACTERS);
  return { text: text.slice(offset, offset + EXCERPT_CHARACTERS).toWellFormed(), offset };
}
