import path from "node:path";

export interface BannerParts {
  /** The URL that clients see. */
  readonly url: string;
  /** The page of the console, which may sign in by itself; undefined if it was not built. */
  readonly consoleUrl: string | undefined;
  /** Whether the console is still being built. */
  readonly isConsoleComing: boolean;
  /** The file with the keys of the demo workspace. */
  readonly demoFile: string | undefined;
  /** The working directory, where commands look for that file by themselves. */
  readonly directory: string;
  /** Whether the server has an operator key. */
  readonly hasOperator: boolean;
  /** What runs the `parley` command, as people type it. */
  readonly parley: string;
}

/** The first output of an API: its URL, where its keys are, and what to do next, in ten lines at most. */
export function renderBanner(parts: BannerParts): string {
  const { url, consoleUrl, isConsoleComing, demoFile, directory, hasOperator, parley } = parts;
  const lines = [`Parley listens on ${url}`];
  if (consoleUrl !== undefined) {
    lines.push(`  Console:   ${consoleUrl}${isConsoleComing ? " (it is being built)" : ""}`);
  }
  lines.push(`  Docs:      ${url}/docs/`);
  if (demoFile !== undefined) lines.push(`  Keys:      ${demoFile} (only you can read it)`);
  else if (!hasOperator)
    lines.push(`  Keys:      create the first one with ${parley} keys bootstrap`);
  if (demoFile !== undefined) {
    lines.push("", "Talk to an agent of the demo workspace in another terminal, in this folder:");
    const isFound = demoFile === path.join(directory, ".parley", path.basename(demoFile));
    const found = isFound ? "" : `PARLEY_DATA_DIR=${quote(path.dirname(demoFile))} `;
    lines.push(`  ${found}${parley} chat helper --url ${url}`);
  }
  return `${lines.join("\n")}\n`;
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** What runs the `parley` command of an installed package, whose code is in a file. */
export const installedCommand = (file: string): string =>
  /[\\/]_npx[\\/]/.test(file) ? "npx parley-server" : "parley";
