import { expect, test } from "vitest";
import { eventually, shareServer } from "../server.ts";
import { startChangingProxy } from "./doctor.ts";
import { openGate } from "./gate.ts";
import { openTerminal } from "./terminal.ts";
import { openUser, settingsOf } from "./user.ts";

const server = shareServer();

test("another version of the server is said, with what to do", async () => {
  const ready = { status: "ok", version: "9.9.9" };
  await using other = await startChangingProxy(server().url, { ready });
  const { run } = await openUser();
  const settings = { ...settingsOf(server()), PARLEY_URL: other.url };
  const { code, stdout } = await run(["status"], "", settings);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^versions {2}server 9\.9\.9, this command \S+\n {10}install parley-server@9\.9\.9 here/m,
  );
  const shown = JSON.parse((await run(["status", "--json"], "", settings)).stdout) as object;
  expect(shown).toMatchObject({ versions: { server: "9.9.9" } });
});

test("a server that is not ready is said, and the exit code says it too", async () => {
  const error = { type: "service_unavailable", message: "The server is shutting down" };
  await using leaving = await startChangingProxy(server().url, { ready: { error }, status: 503 });
  const { run } = await openUser();
  const { code, stdout, stderr } = await run(["status"], "", {
    ...settingsOf(server()),
    PARLEY_URL: leaving.url,
  });
  expect(code).toBe(1);
  expect(stdout).toContain(`${leaving.url}: not ready, The server is shutting down`);
  expect(stderr).toBe(
    "parley: The server is not ready: The server is shutting down (see its log)\n",
  );
});

test("a terminal shows it in place until Ctrl-C, while the server is gone and comes back", async () => {
  await using gate = await openGate(server().url);
  const settings = { ...settingsOf(server()), PARLEY_URL: gate.url };
  const terminal = openTerminal(["status", "--watch"], { settings });
  await terminal.waitFor(": ready");
  await gate.shut();
  await terminal.waitFor("connect ECONNREFUSED");
  await gate.open();
  await eventually(
    async () => (/: ready\n/.test(terminal.screen()) ? { value: true } : {}),
    20_000,
  );
  expect(terminal.screen().match(/^server /gm)).toHaveLength(1);
  terminal.write("\u0003");
  await terminal.exited;
});

test("a pipe gets each reading, with --json a line each", async () => {
  const { start } = await openUser();
  const program = start(["status", "--watch", "--json"], "", settingsOf(server()));
  const lines = await eventually(async () => {
    const whole = program.output.stdout.split("\n").slice(0, -1);
    return whole.length < 2 ? {} : { value: whole };
  }, 20_000);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ ready: { isReady: true } });
  program.signal("SIGINT");
  await program.exited;
});
