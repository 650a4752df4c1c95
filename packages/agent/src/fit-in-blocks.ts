import { createHash } from "node:crypto";

/** One in so many of the messages that would fit is left out with those that do not. */
const BLOCK_SHARE = 4;
const HASHED_CHARACTERS = 200;

/**
 * How many of the texts, from the last, stay in a prompt for which `fits` of them would fit: all, or at least
 * three quarters of `fits`. Services cache a prompt by its beginning, which each new message would change if only as
 * many were left out as must be. Of the places where it may begin, the one whose texts have the least hash is
 * chosen: it stays the same until it fits no longer, or one with a lesser hash comes, whatever stands before.
 */
export function fitInBlocks(texts: readonly string[], fits: number): number {
  if (fits >= texts.length) return texts.length;
  const first = texts.length - fits;
  const places = Math.ceil(fits / BLOCK_SHARE);
  const hashes = Array.from({ length: places }, (_, place) => hashAt(texts, first + place));
  const least = hashes.reduce((found, hash, place) => (hash < hashes[found]! ? place : found), 0);
  return fits - least;
}

/** Of a text and the one after it: people often say the same. */
function hashAt(texts: readonly string[], index: number): string {
  const [text = "", next = ""] = texts.slice(index, index + 2);
  const beginning = `${text.slice(0, HASHED_CHARACTERS)}\n${next.slice(0, HASHED_CHARACTERS)}`;
  return createHash("sha256").update(beginning).digest("hex");
}
