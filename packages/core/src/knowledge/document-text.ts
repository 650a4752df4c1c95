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
 * node itself. Throws `invalid_request_error` if the body contradicts itself.
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
