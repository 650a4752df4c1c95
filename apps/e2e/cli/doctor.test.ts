import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { stat, writeFile } from "node:fs/promises";
import { createRpcClient } from "parley-client";
import { describe, expect, test } from "vitest";
import { createPlace, settingsFor, shareServer, startServer } from "../server.ts";
import {
  examine,
  examineEach,
  examineProcess,
  examineWithFiles,
  startChangingProxy,
  takePort,
} from "./doctor.ts";
import { openUser, settingsOf } from "./user.ts";

// Each failure is really there; nothing that the doctor looks at changes.

const server = shareServer();
/** The environment of the server, and of a command that calls it. */
const healthy = () => ({ ...settingsFor(server().place), ...settingsOf(server()) });

test("finds that a server and its machine are well", async () => {
  const { checks, of } = await examineProcess(healthy());
  expect(checks.filter(({ level }) => level === "fail")).toEqual([]);
  expect(of("tables")).toMatchObject([{ level: "ok", finding: "they are up to date" }]);
  expect(of("server")[0]?.finding).toBe(`${server().url} is ready`);
  expect(of("key")[0]?.finding).toContain("key demo admin, role admin");
  expect(of("clock").map(({ finding }) => finding)).toEqual([
    "it agrees with the clock of the database",
    "it agrees with the clock of the server",
  ]);
  expect(of("versions")[0]?.finding).toMatch(/^parley (\S+), server \1$/);
});

test("prints a line for each check, and the cure below what is not well", async () => {
  const { run } = await openUser();
  const { code, stdout } = await run(["doctor"], "", { PARLEY_PORT: "many" });
  expect(code).toBe(1);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.at(-1)).toMatch(/^\d+ checks: 1 failed, \d with warnings$/);
  const body = lines.slice(0, -2);
  expect(
    body.filter((line) => !/^(?:ok {3}|warn |fail ) ?\w[\w ]*: .|^ {5}cure: ./.test(line)),
  ).toEqual([]);
  const at = body.indexOf('fail settings: PARLEY_PORT is "many"');
  expect(body[at + 1]).toBe("     cure: it must be a number");
});

describe("settings", () => {
  test("that are wrong are all named, and no secret of them", async () => {
    const { of, stdout } = await examine({
      PARLEY_PROT: "3000",
      PARLEY_PORT: "many",
      PARLEY_URL: "nowhere",
      PARLEY_ADMIN_KEY: "not-logged",
      DATABASE_URL: "host=db password=not-logged",
    });
    expect(of("settings").map(({ level, finding }) => [level, finding])).toEqual([
      ["fail", "PARLEY_PROT is not a setting"],
      ["fail", 'PARLEY_PORT is "many"'],
      ["fail", "DATABASE_URL is not valid"],
      ["fail", "PARLEY_ADMIN_KEY is not valid"],
      ["fail", 'PARLEY_URL is "nowhere"'],
    ]);
    expect(stdout).not.toContain("not-logged");
  });

  test("of a broken .env are named with their line", async () => {
    const { run, file } = await openUser();
    const home = file.replace("/parley/profiles.json", "");
    await writeFile(`${home}/.env`, "PARLEY_PORT=3000\nnonsense\n");
    const { code, stdout } = await run(["doctor"]);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^fail settings: .*\.env: line 2 /m)]);
  });
});

describe("ports", () => {
  test("that another program has are said, those of Parley are well", async () => {
    await using other = await takePort((_request, response) => void response.end("{}"));
    const port = String(other.port);
    // A server under load makes its document for longer than the doctor waits, and answers nobody in the meantime.
    await using busy = await startChangingProxy(server().url, { silentAt: "/openapi.json" });
    const [taken, own] = await examineEach([
      { PARLEY_PORT: port, PARLEY_METRICS_PORT: port },
      { ...healthy(), PARLEY_PORT: String(busy.port) },
    ]);
    for (const [what, setting] of [
      ["port", "PARLEY_PORT"],
      ["metrics port", "PARLEY_METRICS_PORT"],
    ] as const) {
      expect(taken?.of(what)).toEqual([
        {
          level: "fail",
          what,
          finding: `port ${port} of 127.0.0.1 is in use by another program`,
          cure: `set ${setting} to another port, or to 0 for any free one`,
        },
      ]);
    }
    expect(own?.of("port")[0]?.finding).toMatch(/^Parley answers on port /);
  });

  test("of an address that is not this machine's are said", async () => {
    const { of } = await examine({ PARLEY_HOST: "192.0.2.1" });
    expect(of("port")).toMatchObject([{ level: "fail", cure: "correct PARLEY_HOST" }]);
  });
});

describe("the server", () => {
  const clean = { PARLEY_API_KEY: "sk-not-logged" };

  test("that is dead, silent or none of Parley is said in time", async () => {
    await using silent = await takePort();
    await using other = await takePort((_request, response) => void response.writeHead(404).end());
    const [dead, mute, foreign] = await examineEach(
      ["http://127.0.0.1:1", silent.url, other.url].map((PARLEY_URL) => ({ ...clean, PARLEY_URL })),
    );
    expect(dead?.of("server")).toMatchObject([
      { level: "fail", cure: "start it, or correct PARLEY_URL" },
    ]);
    expect(mute?.of("server")[0]?.level).toBe("fail");
    expect(foreign?.of("server")[0]?.finding).toBe(`${other.url} is not a Parley server`);
    for (const one of [dead, mute, foreign]) expect(one?.of("key")).toEqual([]);
  });

  test("that refuses the key is said, without the key", async () => {
    const { of, stdout } = await examine({ ...clean, PARLEY_URL: server().url });
    expect(of("key")).toMatchObject([
      { level: "fail", cure: "set PARLEY_API_KEY to a key of the workspace, or run parley login" },
    ]);
    expect(of("key")[0]?.finding).toMatch(/\[request \S+\]$/);
    expect(stdout).not.toContain("sk-not-logged");
  });

  test("that is not ready, has another version or another time is said", async () => {
    const ready = { status: "ok", version: "9.9.9" };
    const date = new Date(Date.now() - 3_600_000);
    await using other = await startChangingProxy(server().url, { ready, date });
    const error = { type: "service_unavailable", message: "The server is shutting down" };
    await using leaving = await startChangingProxy(server().url, { ready: { error }, status: 503 });
    const [changed, unready] = await examineEach(
      [other.url, leaving.url].map((PARLEY_URL) => ({ ...healthy(), PARLEY_URL })),
    );
    expect(changed?.of("versions")).toMatchObject([
      { level: "warn", cure: expect.stringContaining("parley-server@9.9.9") as string },
    ]);
    expect(changed?.of("clock")[1]).toMatchObject({
      level: "warn",
      finding: expect.stringMatching(/^it is 3\d{3} s ahead of the clock of the server$/) as string,
    });
    expect(unready?.of("server")[0]?.finding).toBe(
      `${leaving.url} is not ready: The server is shutting down`,
    );
  });
});

test("stored secrets without their key are said", async () => {
  await using place = await createPlace();
  // The doctor judges all secrets of a database: a server whose database no other test uses.
  await using own = await startServer(place);
  const { url, demo } = own;
  const rpc = createRpcClient({ url, apiKey: demo.adminKey });
  const input = { wId: demo.workspaceId, providerId: "openai", apiKey: "sk-not-logged" } as const;
  await rpc.providerCredentials.put.mutate(input);
  const webhook = { url: "https://webhooks.example/x", events: ["message.failed" as const] };
  await rpc.webhooks.create.mutate({ wId: demo.workspaceId, ...webhook });
  const { PARLEY_ENCRYPTION_KEY: _key, ...keyless } = settingsFor(place);
  const other = randomBytes(32).toString("base64");
  const [right, none, wrong] = await examineEach([
    settingsFor(place),
    keyless,
    { ...keyless, PARLEY_ENCRYPTION_KEY: other },
  ]);
  expect(right?.of("encryption")[0]?.finding).toContain("decrypts all 2 secrets");
  expect(none?.of("encryption")[0]?.finding).toContain("PARLEY_ENCRYPTION_KEY is not set");
  expect(wrong?.of("encryption")[0]?.finding).toContain("lacks their key");
  for (const one of [none, wrong]) expect(one?.of("encryption")[0]?.level).toBe("fail");
});

test("a machine whose clock is wrong is said", async () => {
  const code = "const now = Date.now; Date.now = () => now() + 120_000";
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(code)}`;
  const { of } = await examineProcess({ ...healthy(), NODE_OPTIONS });
  expect(of("clock").map(({ level, finding }) => [level, finding])).toEqual([
    ["warn", "it is 120 s ahead of the clock of the database"],
    ["warn", "it is 120 s ahead of the clock of the server"],
  ]);
});

test("a process that may open few files is said", async () => {
  const checks = await examineWithFiles(256);
  expect(checks.find(({ what }) => what === "file descriptors")).toMatchObject({
    level: "fail",
    finding: "256 at once",
  });
});

test("a Redis that is not there is said, without its password", async () => {
  const { of, stdout } = await examine({ REDIS_URL: "redis://:not-logged@127.0.0.1:1" });
  expect(of("redis")).toMatchObject([
    { level: "fail", cure: "start it, or correct or unset REDIS_URL" },
  ]);
  expect(stdout).not.toContain("not-logged");
});

test("a sandbox that is required and does not work is said; without bubblewrap it is a warning", async () => {
  const [required, optional] = await examineEach([{ PARLEY_SANDBOX_REQUIRE: "namespace" }, {}]);
  const isWrapped =
    spawnSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "true"]).status === 0;
  expect(required?.of("sandbox")[0]?.level).toBe(isWrapped ? "ok" : "fail");
  expect(optional?.of("sandbox")[0]?.level).toBe(isWrapped ? "ok" : "warn");
  expect(optional?.of("data directory")[0]?.finding).toContain("the first start creates it");
  await expect(stat(`${optional?.home}/.parley`)).rejects.toThrow("ENOENT");
});
