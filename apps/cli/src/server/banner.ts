import path from "node:path";

export interface BannerParts {
  /** The URL that clients see. */
  readonly url: string;
  /** The page of the console, which may sign in by itself; undefined where it was not built. */
  readonly consoleUrl: string | undefined;
  /** Whether the console is still being built. */
  readonly isConsoleComing: boolean;
  /** The file with the keys of the demo workspace. */
  readonly demoFile: string | undefined;
  /** Whether the server has an operator key. */
  readonly hasOperator: boolean;
  /** What runs the `parley` command, as people type it. */
  readonly parley: string;
}

/** The first output of an API: its URL, where its keys are, and what to do next, in ten lines at most. */
export function renderBanner(parts: BannerParts): string {
  const { url, consoleUrl, isConsoleComing, demoFile, hasOperator, parley } = parts;
  const lines = [`Parley listens on ${url}`];
  if (consoleUrl !== undefined) {
    lines.push(`  Console:   ${consoleUrl}${isConsoleComing ? " (it is being built)" : ""}`);
  }
  lines.push(`  Reference: ${url}/docs`);
  if (demoFile !== undefined) lines.push(`  Keys:      ${demoFile}, which only its owner can read`);
  else if (!hasOperator) lines.push(`  Keys:      ${parley} keys bootstrap prints the first one`);
  if (demoFile !== undefined) {
    lines.push("", "Talk to an agent of the demo workspace, in another terminal in this folder:");
    lines.push(`  ${dataDirectoryOf(demoFile)}${parley} chat helper --url ${url}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Names the folder of the keys to a command, where it would not look there by itself. */
function dataDirectoryOf(demoFile: string): string {
  const folder = path.dirname(demoFile);
  if (folder === path.resolve(".parley")) return "";
  return `PARLEY_DATA_DIR='${folder.replaceAll("'", String.raw`'\''`)}' `;
}
