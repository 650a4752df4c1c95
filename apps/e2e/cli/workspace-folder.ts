import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createRpcClient } from "parley-client";
import { expect, onTestFinished } from "vitest";
import type { Server } from "../server.ts";
import type { Ran } from "./run-cli.ts";
import { openUser } from "./user.ts";

type Settings = Parameters<Awaited<ReturnType<typeof openUser>>["start"]>[2];

/** A new workspace with its own key, and the command line of a user who names it. */
export async function openWorkspace({ url, demo }: Pick<Server, "url" | "demo">, name: string) {
  const operator = createRpcClient({ url, apiKey: demo.operatorKey });
  const made = await operator.workspaces.create.mutate({ name });
  const { adminKey } = made;
  const wId = made.workspace.sId;
  const { start, run } = await openUser();
  const keyOf = (apiKey: string): Settings => ({ PARLEY_URL: url, PARLEY_API_KEY: apiKey });
  const rpc = createRpcClient({ url, apiKey: adminKey });
  return {
    wId,
    rpc,
    adminKey,
    start: (args: readonly string[], input?: string) => start(args, input, keyOf(adminKey)),
    run: async (args: readonly string[], input?: string, key = adminKey): Promise<Ran> =>
      run(args, input, keyOf(key)),
    /** Runs a command that succeeds; gives its standard output. */
    succeed: async (args: readonly string[], input?: string): Promise<string> => {
      const { code, stdout, stderr } = await run(args, input, keyOf(adminKey));
      expect([code, args], stdout + stderr).toEqual([0, args]);
      return stdout;
    },
    /** Runs a command that fails with 1; gives what it said. */
    fail: async (args: readonly string[], input?: string): Promise<string> => {
      const { code, stdout, stderr } = await run(args, input, keyOf(adminKey));
      expect([code, args], stdout + stderr).toEqual([1, args]);
      return stderr;
    },
    /** How many mutations the audit log has. */
    countMutations: async (): Promise<number> => {
      const page = await rpc.audit.list.query({ wId, limit: 100 });
      return page.auditEvents.length;
    },
  };
}

/** What `openWorkspace` gives. */
export type OpenWorkspace = Awaited<ReturnType<typeof openWorkspace>>;

/** A new folder with these files, which goes with the test. */
export async function openFolder(
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-folder-"));
  onTestFinished(async () => rm(folder, { recursive: true }));
  await writeFiles(folder, files);
  return folder;
}

/** Writes files into a folder, by their paths. */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  for (const [file, content] of Object.entries(files)) {
    const place = path.join(folder, file);
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, content);
  }
}

/** All files of a folder, by their paths, in hexadecimal. */
export async function readFiles(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const read = files.toSorted().map(async (file) => {
    return [path.relative(folder, file), await readFile(file, "hex")] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}
