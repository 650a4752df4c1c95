import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { builtFile } from "../programs.ts";
import { createPlace, eventually, root, settingsFor, startProgram, within } from "../server.ts";

const isRoot = process.platform === "linux" && process.geteuid?.() === 0;
const NOBODY = 65_534;
const BOUNDARY = "Functions' code is isolated by this boundary";

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly user?: unknown;
}

/** Starts a server as a user, and gives its warnings, as whom its code runs, and what it says of itself. */
async function startAs(uid: number, main = builtFile("parley.js")) {
  await using place = await createPlace();
  const program = startProgram(["serve"], settingsFor(place), { uid, main: [main] });
  let hasEnded = false;
  void program.exited.then(() => (hasEnded = true));
  const until = (stream: "stdout" | "stderr", pattern: RegExp) =>
    eventually(async () => {
      const [, value] = pattern.exec(program.output[stream]) ?? [];
      if (value !== undefined) return { value };
      return hasEnded ? { stop: new Error(`It has ended: ${program.output.stderr}`) } : {};
    }, 30_000);
  try {
    const url = await until("stdout", /Parley listens on (http:\S+)/);
    const ready = (await (await fetch(`${url}/readyz`)).json()) as Record<string, unknown>;
    await until("stderr", new RegExp(`(${BOUNDARY})`));
    program.signal("SIGTERM");
    await within(15_000, program.exited);
    const lines = program.output.stderr.trimEnd().split("\n");
    const logged = lines.map((line) => JSON.parse(line) as Line);
    return {
      ready,
      warnings: logged.filter(({ level }) => level >= 40).map(({ msg }) => msg),
      codeUser: logged.find(({ msg }) => msg === BOUNDARY)?.user,
    };
  } finally {
    program.signal("SIGKILL");
  }
}

const isRootServer = expect.stringMatching(/^The server runs as root: give it its own user/);

test.skipIf(!isRoot)(
  "a server that runs as root says so, and its code runs as another",
  async () => {
    const { warnings, ready, codeUser } = await startAs(0);
    expect(warnings).toEqual([isRootServer]);
    expect(ready).toMatchObject({ status: "ok", user: "root" });
    expect(codeUser).toBeGreaterThan(60_000);
  },
);

test.skipIf(!isRoot)(
  "code that runs as root, because no other user can read it, is said",
  async () => {
    // Only its owner enters it.
    const folder = await mkdtemp(path.join(os.tmpdir(), "parley-root-"));
    try {
      await cp(path.resolve(builtFile("parley.js"), "../.."), folder, { recursive: true });
      for (const name of ["package.json", "node_modules"]) {
        await symlink(path.join(root, "apps/cli", name), path.join(folder, name));
      }
      const { warnings, codeUser } = await startAs(0, path.join(folder, "bin/parley.js"));
      // The code's boundary is found out beside the start.
      expect(warnings.toSorted()).toEqual([
        expect.stringMatching(/^Functions' code runs as root: run the worker as another user/),
        isRootServer,
      ]);
      expect(codeUser).toBe("root");
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

test.skipIf(!isRoot)("a server of another user says nothing of it", async () => {
  const { warnings, ready, codeUser } = await startAs(NOBODY);
  expect(warnings).toEqual([]);
  expect(ready).toMatchObject({ status: "ok" });
  expect(ready).not.toHaveProperty("user");
  expect(codeUser).toBe("that of the server");
});
