import type { Demo } from "../demo-file.ts";

export interface BannerParts {
  /** The URL that clients see. */
  readonly url: string;
  /** The page of the console, which may sign in by itself; undefined where it was not built. */
  readonly consoleUrl: string | undefined;
  /** The demo workspace, and the file with its keys. */
  readonly demo: { readonly content: Demo; readonly file: string } | undefined;
  /** Whether the server has an operator key. */
  readonly hasOperator: boolean;
  /** Whether people alone read it, so that it may contain a key. */
  readonly isTerminal: boolean;
}

/** The first output of an API: its URL, where its keys are, and what to do next, in ten lines at most. */
export function renderBanner({
  url,
  consoleUrl,
  demo,
  hasOperator,
  isTerminal,
}: BannerParts): string {
  const lines = [`Parley listens on ${url}`];
  if (consoleUrl !== undefined) lines.push(`  Console:   ${consoleUrl}`);
  lines.push(`  Reference: ${url}/docs`);
  if (demo !== undefined) lines.push(`  Keys:      ${demo.file}, which only its owner can read`);
  else if (!hasOperator) lines.push("  Keys:      parley keys bootstrap prints the first one");
  if (demo !== undefined) {
    const { content, file } = demo;
    const first = isTerminal ? exportsOf(url, content) : readExports(file);
    lines.push("", "Send a message to an agent of the demo workspace:", `  ${first}`, `  ${call}`);
  }
  return `${lines.join("\n")}\n`;
}

const exportsOf = (url: string, { workspaceId, adminKey }: Demo): string =>
  `export URL=${url} W=${workspaceId} KEY=${adminKey}`;

/** The same for a log, which others may read. */
const readExports = (file: string): string =>
  `eval "$(node -p 'const d = JSON.parse(fs.readFileSync(process.argv[1])); ` +
  "`export URL=${d.url} W=${d.workspaceId} KEY=${d.adminKey}`' " +
  `'${file.replaceAll("'", String.raw`'\''`)}')"`;

const body = JSON.stringify({
  message: { content: "Hello!", mentions: [{ configurationId: "helper" }] },
  blocking: true,
});
const call =
  `curl -s "$URL/api/v1/w/$W/assistant/conversations" -H "Authorization: Bearer $KEY" ` +
  `-H "Content-Type: application/json" -d '${body}'`;
