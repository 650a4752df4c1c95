import { CommandError } from "@parley/command/command-error";

/** A folder of a repository, at a commit. */
export interface GitFolder {
  /** What Git fetches. */
  readonly url: string;
  /** A branch, a tag or a commit; that of the repository by default. */
  readonly ref: string;
  /** Path with slashes in the repository; empty for all of it. */
  readonly folder: string;
  /** Of the repository, without `.git`. */
  readonly name: string;
}

/** `user@host:path`, as SSH has it. */
const SCP_LIKE = /^[\w.-]+@[\w.-]+:(?!\/\/)(?=[^-])/;
const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
/** No option, no range and no other syntax of Git. */
const REF = /^(?!.*\.\.)[A-Za-z0-9][\w./+-]*$/;

/** Whether an argument is a URL, and not a path. */
export const isGitUrl = (given: string): boolean => SCHEME.test(given) || SCP_LIKE.test(given);

/**
 * Reads a URL of a repository with `#ref` and `:folder` after it, as in `https://host/skills.git#main:tools`. Throws
 * `CommandError` for protocols other than https, ssh and file, for passwords, and for what Git could take for an option.
 */
export function parseGitUrl(given: string): GitFolder {
  const at = given.indexOf("#");
  const url = at === -1 ? given : given.slice(0, at);
  const [ref = "", ...rest] = at === -1 ? [] : given.slice(at + 1).split(":");
  const folder = rest.join(":").replace(/^\/+|\/+$/g, "");
  const scheme = SCHEME.exec(url)?.[1]?.toLowerCase();
  if (scheme !== undefined && !["https", "ssh", "file"].includes(scheme)) {
    throw new CommandError(`Repositories are fetched over https, ssh and file, not over ${scheme}`);
  }
  const parsed = scheme === undefined ? undefined : URL.parse(url);
  if (parsed === null || /[\p{Cc}\s]/u.test(url)) {
    throw new CommandError("The URL of the repository is malformed");
  }
  // What a program is called with is visible to others.
  if (parsed?.password || (scheme === "https" && parsed?.username)) {
    throw new CommandError(
      "The URL must not contain a user or a password: set up a git credential helper instead",
    );
  }
  if (parsed?.hostname.startsWith("-"))
    throw new CommandError("The URL of the repository is malformed");
  if (ref !== "" && !REF.test(ref)) {
    throw new CommandError(
      `${ref} is not a branch, tag or commit: use one, such as …/skills.git#main`,
    );
  }
  const names = folder === "" ? [] : folder.split("/");
  if (names.some((name) => ["", ".", "..", ".git"].includes(name)) || folder.includes("\\")) {
    throw new CommandError(
      `${folder} is not a folder in a repository: use one, such as …#main:skills`,
    );
  }
  const last = url.replace(/\/+$/, "").split(/[/:]/).at(-1) ?? "";
  return {
    url,
    ref: ref === "" ? "HEAD" : ref,
    folder,
    name: last.replace(/\.git$/, "") || "skill",
  };
}
