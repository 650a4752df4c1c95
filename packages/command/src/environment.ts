import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseEnv } from "node:util";
import { BadConfiguration } from "./setting-faults.ts";

const NAME = ".env";

/** A blank line, a comment or an assignment; a quoted value may span lines. */
const ENTRY =
  /\s*(?:#.*|(?:export\s+)?[A-Za-z_][\w.-]*[ \t]*=[ \t]*(?:(?:"[^"]*"|'[^']*'|`[^`]*`)[ \t]*(?:#.*)?|[^"'`\s].*)?)?(?:\r?\n|$)/y;

/** The files whose settings were added to environments. */
const loaded = new WeakMap<NodeJS.ProcessEnv, string>();

/** The path of the file whose settings were added to an environment; undefined if there is none. */
export const environmentFile = (environment: NodeJS.ProcessEnv): string | undefined =>
  loaded.get(environment);

/**
 * Adds settings of `.env` in the working directory to an environment, which takes precedence: those with a name
 * that `isRead`, since whoever made the directory wrote the file. Throws `BadConfiguration` if it cannot be
 * read or has a line that sets nothing: Node would ignore this.
 */
export function loadEnvironmentFile(
  environment: NodeJS.ProcessEnv,
  isRead: (name: string) => boolean,
): void {
  const file = path.join(process.cwd(), NAME);
  if (!existsSync(file)) return;
  const text = readText(file);
  requireAssignments(file, text);
  for (const [name, value] of Object.entries(parseEnv(text))) {
    if (isRead(name)) environment[name] ??= value;
  }
  loaded.set(environment, file);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    throw new BadConfiguration(
      `${file} cannot be read (${code}): make it readable for this user, or remove it`,
      { cause },
    );
  }
}

function requireAssignments(file: string, text: string): void {
  for (ENTRY.lastIndex = 0; ENTRY.lastIndex < text.length;) {
    const start = ENTRY.lastIndex;
    if (ENTRY.test(text)) continue;
    // The pattern begins with the blank lines before an entry.
    const [blank = ""] = /^\s*/.exec(text.slice(start)) ?? [];
    const line = text.slice(0, start + blank.length).split("\n").length;
    throw new BadConfiguration(
      `${file}: line ${line} is neither NAME=value nor a comment: correct it (a quoted value needs both quotes)`,
    );
  }
}

/** What a program needs of the environment to find its files, its user, its keys and the network. */
const PASSED_ON =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|TZ|LANG|LC_\w+|TMPDIR|TMP|TEMP|XDG_\w+|SSH_AUTH_SOCK|SSH_AGENT_PID|(?:http|https|all|no)_proxy|(?:HTTP|HTTPS|ALL|NO)_PROXY|SSL_CERT_(?:FILE|DIR)|GIT_SSL_CAINFO|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|APPDATA|LOCALAPPDATA|USERPROFILE)$/i;

/** The environment of a program that Parley starts: an allowlist of a command's own, with `more`. */
export function environmentForOthers(
  environment: NodeJS.ProcessEnv,
  more: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  const passed = Object.entries(environment).filter(([name]) => PASSED_ON.test(name));
  return { ...Object.fromEntries(passed), ...more };
}
