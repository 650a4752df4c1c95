import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { writePrivateFile } from "@parley/command/write-private-file";
import * as z from "zod";

/** How long names are kept. */
const KEPT_MS = 60_000;
/** Lists that are kept at most. */
const MAX_LISTS = 50;

/** A word that completes, and what it stands for. */
const Name = z.object({ word: z.string(), about: z.string() });
export type Name = z.infer<typeof Name>;

const Kept = z.record(z.string(), z.object({ readAt: z.number(), names: z.array(Name) }));

/** What is listed, and for whom. */
export interface List {
  readonly url: string;
  readonly apiKey: string;
  readonly workspaceId: string | undefined;
  readonly many: string;
}

const fileOf = ({ HOME, XDG_CACHE_HOME }: NodeJS.ProcessEnv): string =>
  path.join(XDG_CACHE_HOME || path.join(HOME || os.homedir(), ".cache"), "parley", "names.json");

/** The file names lists by a hash: it has neither keys nor URLs. */
const nameOf = ({ url, apiKey, workspaceId = "", many }: List): string =>
  createHash("sha256").update([url, apiKey, workspaceId, many].join("\n")).digest("hex");

async function readAll(environment: NodeJS.ProcessEnv): Promise<z.infer<typeof Kept>> {
  try {
    return Kept.parse(JSON.parse(await readFile(fileOf(environment), "utf8")));
  } catch {
    // There is none yet, or it is not ours: it is replaced.
    return {};
  }
}

/** The names of a list that have been read within the last minute. */
export async function findKept(
  environment: NodeJS.ProcessEnv,
  list: List,
): Promise<readonly Name[] | undefined> {
  const kept = (await readAll(environment))[nameOf(list)];
  return kept !== undefined && Date.now() - kept.readAt < KEPT_MS ? kept.names : undefined;
}

/** Keeps the names of a list; lists that are old are forgotten. */
export async function keepNames(
  environment: NodeJS.ProcessEnv,
  list: List,
  names: readonly Name[],
): Promise<void> {
  const readAt = Date.now();
  const others = Object.entries(await readAll(environment))
    .filter(([, one]) => readAt - one.readAt < KEPT_MS)
    .slice(-MAX_LISTS);
  const file = fileOf(environment);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const all = { ...Object.fromEntries(others), [nameOf(list)]: { readAt, names } };
  await writePrivateFile(file, JSON.stringify(all));
}
