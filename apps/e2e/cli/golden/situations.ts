import { URL } from "node:url";
import type { Server } from "../../server.ts";
import type { ShopServer } from "../../tools/shop-server.ts";
import { startDyingProxy } from "./dying-proxy.ts";
import type { Entry } from "./entry.ts";
import { expect } from "vitest";
import { expectInPipe, expectNoSecrets, expectOnTerminal, LOOKS } from "./invariants.ts";
import { normalise, readIds } from "./normalise.ts";
import {
  type Outcome,
  mayRunInside,
  type Run,
  runInPipe,
  runInside,
  runOnTerminal,
  type Screen,
} from "./run-command.ts";
import { openWorld, type World } from "./world.ts";

/** A section that says the same as that of a pipe. */
export const AS_IN_A_PIPE = "(as in a pipe)\n";

const WRONG_KEY = "sk-not-logged-wrong-key-0123456789";
/** Within the first answer. */
const FIRST_BYTES = 40;

export interface Stage {
  /** The packed program. */
  readonly main: string;
  readonly version: string;
  readonly server: Server;
  /** Where nothing listens. */
  readonly closedPort: number;
  /** A server of tools. */
  readonly shop: ShopServer;
}

/** What can go wrong with what a command calls. */
export const failures = {
  "without a server":
    ({ closedPort }: Stage): Change =>
    (settings) =>
      redirect(settings, `127.0.0.1:${closedPort}`),
  "with a wrong key": (): Change => spoilKey,
} as const;

/** Runs a command if something is wrong, and gives that section of its golden text. */
export const describeFailing = async (
  title: keyof typeof failures,
  entry: Entry,
  stage: Stage,
): Promise<string> => run({ entry, stage, change: failures[title](stage) });

/** The sections of a golden text, by their titles. */
export const readSections = (text: string): Map<string, string> =>
  new Map(
    text
      .split(/^=== (?=.* ===$)/m)
      .slice(1)
      .map((section) => {
        const [, title = "", body = ""] = /^(.*) ===\n([^]*)$/.exec(section) ?? [];
        return [title, body.replace(/\n\n$/, "\n")];
      }),
  );

/** Runs a command in every situation, checks what holds for all commands, and gives its golden text. */
export async function describeSituations(entry: Entry, stage: Stage): Promise<string> {
  const help = await run({ entry: { command: entry.command }, stage, isHelp: true });
  const refusal =
    entry.confirmed === undefined ? [] : [await run({ entry, stage, isConfirmed: false })];
  const [piped, seen, dead, refused, dying] = await Promise.all([
    run({ entry, stage }),
    see(entry, stage),
    describeFailing("without a server", entry, stage),
    describeFailing("with a wrong key", entry, stage),
    runDying(entry, stage),
  ]);
  const sections: [title: string, text: string][] = [
    ["--help", help],
    ["in a pipe", piped],
    ...refusal.map((text): [string, string] => ["in a pipe, without --yes", text]),
    ["on a terminal", seen],
    ["without a server", dead],
    ["with a wrong key", refused],
    ["with a server that dies", dying],
  ];
  const shown = sections.map(([title, text], at) => {
    const isSame = at > 1 && text === piped;
    return `=== ${title} ===\n${isSame ? AS_IN_A_PIPE : text}`;
  });
  return `$ parley ${entry.command}\n\n${shown.join("\n")}`;
}

type Change = (settings: Record<string, string>) => Record<string, string>;

interface Wanted {
  readonly entry: Entry;
  readonly stage: Stage;
  readonly isHelp?: boolean;
  /** Whether it has `--yes` if it destroys something. */
  readonly isConfirmed?: boolean;
  readonly change?: Change;
  readonly onPrinted?: () => void;
}

async function prepareRun(wanted: Wanted, world: World): Promise<Run> {
  const { entry, stage, isHelp, isConfirmed = true, change = unchanged, onPrinted } = wanted;
  const prepared = (isHelp === true ? undefined : await entry.prepare?.(world)) ?? {};
  const given = typeof entry.args === "function" ? entry.args(prepared) : (entry.args ?? []);
  const yes = entry.confirmed !== undefined && isConfirmed ? ["--yes"] : [];
  const args = [
    ...entry.command.split(" "),
    ...(isHelp === true ? ["--help"] : [...given, ...yes]),
  ];
  const settings = change(settingsOf(entry, world));
  const ids = await readIds(stage.server.place.databaseUrl ?? "");
  return { main: stage.main, args, entry, cwd: world.home, settings, ids, onPrinted };
}

const unchanged = (settings: Record<string, string>) => settings;

function settingsOf(entry: Entry, world: World): Record<string, string> {
  const home = {
    XDG_CONFIG_HOME: world.home,
    PARLEY_LOG_LEVEL: "silent",
    ...entry.settings,
  };
  if (entry.opens === "nothing") return home;
  if (entry.opens === "database") return { ...home, DATABASE_URL: world.databaseUrl };
  const key = entry.key === "operator" ? world.operatorKey : world.adminKey;
  return { ...home, PARLEY_URL: world.url, PARLEY_API_KEY: key, PARLEY_WORKSPACE: world.wId };
}

/** The settings, with the server or the database elsewhere. */
function redirect(settings: Record<string, string>, host: string): Record<string, string> {
  const changed = { ...settings };
  for (const name of ["PARLEY_URL", "DATABASE_URL"]) {
    const url = URL.parse(settings[name] ?? "");
    if (url === null) continue;
    url.host = host;
    changed[name] = url.href.replace(/\/$/, "");
  }
  return changed;
}

function spoilKey(settings: Record<string, string>): Record<string, string> {
  const url = URL.parse(settings["DATABASE_URL"] ?? "");
  if (url === null) return { ...settings, PARLEY_API_KEY: WRONG_KEY };
  url.username = "parley_nobody";
  url.password = "not-logged-wrong-password";
  return { ...settings, DATABASE_URL: url.href };
}

async function run(wanted: Wanted): Promise<string> {
  const { entry, stage } = wanted;
  await using world = await openWorld(stage, entry.opens === "database");
  const prepared = await prepareRun(wanted, world);
  const outcome = await (isForPackage(wanted) ? runInPipe(prepared) : runInside(prepared));
  expectInPipe(entry, outcome);
  if (wanted.change === undefined && wanted.isConfirmed !== false) expectItsExit(wanted, outcome);
  expectNoSecrets(entry, outcome.stdout + outcome.stderr, secretsOf(world));
  return normaliseFor(describe(outcome), { world, ids: prepared.ids }, wanted);
}

/** Whether the packed program is run: if nothing is wrong, and where the server goes while it prints. */
function isForPackage({ entry, change, isHelp = false, onPrinted }: Wanted): boolean {
  const isWhole = change === undefined && !isHelp;
  return isWhole || !mayRunInside(entry) || (onPrinted && entry.diesOnce) !== undefined;
}

/** If nothing is wrong, a command does what it is for. */
function expectItsExit({ entry, isHelp }: Wanted, { exit, stderr }: Outcome): void {
  const own = entry.exits ?? (entry.until === undefined ? 0 : "Ctrl-C");
  expect(exit, `${entry.command}: ${stderr}`).toBe(isHelp === true ? 0 : own);
}

/** On a terminal, once with colours and once without: what it shows is the same. */
async function see(entry: Entry, stage: Stage): Promise<string> {
  const look = async (colours: Record<string, string>): Promise<[Screen, string]> => {
    await using world = await openWorld(stage, entry.opens === "database");
    const change = (settings: Record<string, string>) => ({ ...settings, ...colours });
    const prepared = await prepareRun({ entry, stage, change, isConfirmed: false }, world);
    const screen = await runOnTerminal(prepared);
    expectNoSecrets(entry, screen.written, secretsOf(world));
    const text = `exit ${screen.exit}\n${screen.text}\n`;
    const { ids } = prepared;
    return [screen, await normaliseFor(text, { world, ids }, { entry, stage })];
  };
  const [coloured, text] = await look({});
  expectOnTerminal(entry, coloured);
  // What has no colours has none to leave out.
  if (!LOOKS.test(coloured.written)) return text;
  const [plain, plainText] = await look({ NO_COLOR: "1" });
  expect(plain.written, entry.command).not.toMatch(LOOKS);
  expect(plainText, entry.command).toBe(text);
  return text;
}

async function runDying(entry: Entry, stage: Stage): Promise<string> {
  if (entry.opens === "nothing") return run({ entry, stage });
  const target = new URL(
    entry.opens === "database" ? (stage.server.place.databaseUrl ?? "") : stage.server.url,
  );
  const isLater = (entry.until ?? entry.diesOnce) !== undefined;
  const bytes = isLater ? Infinity : FIRST_BYTES;
  const port = Number(target.port || "5432");
  await using proxy = await startDyingProxy({ host: target.hostname, port }, bytes);
  const change = (settings: Record<string, string>) =>
    redirect(settings, `127.0.0.1:${proxy.port}`);
  // The proxy is there as long as the command.
  return await run({ entry, stage, change, onPrinted: proxy.die });
}

const secretsOf = (world: World): string[] => [
  world.adminKey,
  world.operatorKey,
  WRONG_KEY,
  "not-logged",
];

function describe({ exit, stdout, stderr }: Outcome): string {
  const part = (name: string, text: string): string =>
    text === "" ? "" : `--- ${name}\n${text.replace(/\n*$/, "\n")}`;
  return `exit ${exit}\n${part("stdout", stdout)}${part("stderr", stderr)}`;
}

async function normaliseFor(
  text: string,
  { world, ids: before }: { readonly world: World; readonly ids: readonly string[] },
  { entry, stage }: Wanted,
): Promise<string> {
  const { server, version } = stage;
  const ids = new Set([...before, ...(await readIds(server.place.databaseUrl ?? ""))]);
  return normalise(text, { world, ids: [...ids], version }, entry);
}
