/** Paths of memories, as models and people write them: `/memories/<scope>/<path>`. */

/** A refusal that is the result of a command: the model is told it. */
export class MemoryRefusal extends Error {}

/** Where everything that is remembered is. */
export const ROOT = "/memories";

const MAX_PATH_BYTES = 512;
const MAX_SEGMENTS = 12;
// Encoded characters, backslashes and control characters: what would be decoded later could name another file.
const FORBIDDEN = /%[0-9a-f]{2}|[\\\p{Cc}]|\p{Surrogate}/iu;

/** A path by its parts: the directory of a scope, and what is below it. All are undefined or empty for the root. */
export interface MemoryPath {
  readonly given: string;
  readonly mount: string | undefined;
  readonly segments: readonly string[];
}

/** Reads a path. Throws `MemoryRefusal` for one that is not below `/memories`, or may be read as another. */
export function readPath(given: unknown): MemoryPath {
  if (typeof given !== "string") throw new MemoryRefusal("A path must be a text");
  if (given !== ROOT && !given.startsWith(`${ROOT}/`)) {
    throw new MemoryRefusal(`Path must start with ${ROOT}, got: ${given}`);
  }
  const parts = given.slice(ROOT.length).split("/");
  if (parts.includes("..")) throw new MemoryRefusal(`Path ${given} would escape ${ROOT} directory`);
  if (parts.includes(".") || FORBIDDEN.test(given)) {
    const what = "no . segment, encoded character, backslash or control character";
    throw new MemoryRefusal(`Path ${given} must be plain: ${what}`);
  }
  const segments = parts.filter((part) => part !== "");
  if (Buffer.byteLength(given) > MAX_PATH_BYTES || segments.length > MAX_SEGMENTS) {
    const most = `${MAX_PATH_BYTES} bytes and ${MAX_SEGMENTS} segments`;
    throw new MemoryRefusal(`The path is too long: it may have ${most}`);
  }
  const [mount, ...below] = segments;
  return { given, mount, segments: below };
}
