import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { agentMessages, createParley } from "parley-client";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { pathsOf, send } from "../request.ts";
import {
  createPlace,
  eventually,
  type Server,
  settingsFor,
  startProgram,
  startServer,
  within,
} from "../server.ts";

// The PostgreSQL that a server starts lives and dies with it, and is brought up again if it dies alone.

const run = promisify(execFile);

interface ServerProcess {
  readonly pid: number;
  /** Process group, which is whom a Ctrl-C comes to. */
  readonly group: number;
}

async function postmasterOf({ place }: Server): Promise<ServerProcess> {
  const file = path.join(place.directory, "postgresql/postmaster.pid");
  const pid = Number.parseInt(await readFile(file, "utf8"), 10);
  return { pid, group: await groupOf(pid) };
}

async function groupOf(pid: number): Promise<number> {
  const { stdout } = await run("ps", ["-o", "pgid=", "-p", String(pid)]);
  return Number(stdout);
}

/** Whether a process runs; one that was killed and not yet waited for does not. */
async function runs(pid: number): Promise<boolean> {
  const { stdout } = await run("ps", ["-o", "stat=", "-p", String(pid)]).catch(() => ({
    stdout: "",
  }));
  return stdout !== "" && !stdout.startsWith("Z");
}

const isGone = (pid: number, gracePeriodMs: number) =>
  eventually(async () => ((await runs(pid)) ? {} : { value: true }), gracePeriodMs);

async function databaseUrlOf({ place }: Server): Promise<string> {
  const program = startProgram(["database", "url"], settingsFor(place));
  expect(await within(30_000, program.exited), program.output.stderr).toBe(0);
  return program.output.stdout.trim();
}

const clientOf = ({ url: baseUrl, demo }: Server) =>
  createParley({ baseUrl, workspaceId: demo.workspaceId, apiKey: demo.adminKey });

const say = (content: string, configurationId: string) => ({
  message: { content, mentions: [{ configurationId }] },
});

/** Kills a process of the server's database: the postmaster, or one that works for a connection. */
type Kill = (server: Server) => Promise<void>;

const killPostmaster: Kill = async (server) => {
  process.kill((await postmasterOf(server)).pid, "SIGKILL");
};

const killBackend: Kill = async (server) => {
  const client = new pg.Client({ connectionString: await databaseUrlOf(server) });
  await client.connect();
  client.on("error", () => {});
  const { rows } = await client.query<{ pid: number }>(
    "select pid from pg_stat_activity where application_name = 'parley' limit 1",
  );
  process.kill(rows[0]!.pid, "SIGKILL");
  await client.end().catch(() => {});
};

describe("the database of a server", { timeout: 120_000 }, () => {
  test("stops after it, and shares no Ctrl-C with it", async () => {
    await using place = await createPlace({ isEmbedded: true });
    const server = await startServer(place);
    const postmaster = await postmasterOf(server);
    expect(postmaster.group).not.toBe(await groupOf(server.pid));
    await server[Symbol.asyncDispose]();
    expect(await runs(postmaster.pid)).toBe(false);
    expect(server.output.stderr).not.toContain("PostgreSQL");
    const asked = startProgram(["database", "url"], settingsFor(place));
    expect(await within(30_000, asked.exited)).toBe(1);
    expect(asked.output.stderr).toMatch(/^parley: No server is running on [^\n]+\n$/);
  });

  test("stops when its start is stopped", async () => {
    await using place = await createPlace({ isEmbedded: true });
    const starting = startProgram(["serve"], settingsFor(place));
    const file = path.join(place.directory, "postgresql/postmaster.pid");
    const pid = await eventually(async () => {
      const text = await readFile(file, "utf8").catch(() => "");
      return text === "" ? {} : { value: Number.parseInt(text, 10) };
    }, 30_000);
    starting.signal("SIGTERM");
    expect(await within(30_000, starting.exited), starting.output.stderr).toBe(0);
    expect(await runs(pid)).toBe(false);
  });

  test("does not outlive it by more than 10 s, and keeps what was acknowledged", async () => {
    await using place = await createPlace({ isEmbedded: true });
    const first = await startServer(place);
    const postmaster = await postmasterOf(first);
    const url = new URL(await databaseUrlOf(first));
    const { conversation } = await clientOf(first).conversations.create(say("Keep", "helper"));
    await first.kill();
    await isGone(postmaster.pid, 10_000);
    await using second = await startServer(place);
    const read = await send(second, {
      path: `${pathsOf(second).conversations}/${conversation.sId}`,
    });
    expect(read.status).toBe(200);
    // What the killed one had left.
    expect(existsSync(url.searchParams.get("host") ?? "")).toBe(false);
  });

  test("is taken over at once by the next start", async () => {
    await using place = await createPlace({ isEmbedded: true });
    const first = await startServer(place);
    const left = await postmasterOf(first);
    // Without its guard nobody tells it that its server is gone.
    const { stdout } = await run("pgrep", ["-P", String(left.pid), "sh"]);
    process.kill(Number(stdout), "SIGKILL");
    await first.kill();
    expect(await runs(left.pid)).toBe(true);
    await using second = await startServer(place);
    expect(await runs(left.pid)).toBe(false);
    expect((await send(second, { path: pathsOf(second).skills })).status).toBe(200);
  });

  test.for<[string, Kill]>([
    ["postmaster", killPostmaster],
    ["backend", killBackend],
  ])("comes up again after the kill of its %s, and streams continue", async ([, kill]) => {
    await using place = await createPlace({ isEmbedded: true });
    await using server = await startServer(place);
    const { conversations, messages } = clientOf(server);
    const { conversation } = await conversations.create(say("Slowly", "slowpoke"));
    const [answer] = agentMessages(conversation);
    let text = "";
    for await (const piece of messages.text({
      conversationId: conversation.sId,
      messageId: answer!.sId,
    })) {
      if (text === "") await kill(server);
      text += piece;
    }
    const ended = agentMessages(
      (await conversations.get({ conversationId: conversation.sId })).conversation,
    )[0];
    expect(ended).toMatchObject({ status: "succeeded", content: text });
    const ready = await eventually(async () => {
      const value = await send(server, { path: "/readyz", key: null });
      return value.status === 200 ? { value } : {};
    }, 10_000);
    expect(ready.status).toBe(200);
    const next = await conversations.create({ ...say("And now?", "helper"), blocking: true });
    expect(agentMessages(next.conversation)[0]).toMatchObject({ status: "succeeded" });
  });

  test("is reached with psql at the url that parley database url prints", async () => {
    await using place = await createPlace({ isEmbedded: true });
    await using server = await startServer(place);
    const url = await databaseUrlOf(server);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query("select name from workspaces");
    await client.end();
    expect(rows).toEqual([{ name: "Demo" }]);
    const other = { ...settingsFor(place), DATABASE_URL: "postgres://me:secret@db.example/parley" };
    const asked = startProgram(["database", "url"], other);
    expect(await within(30_000, asked.exited)).toBe(0);
    expect(asked.output.stdout).toBe("postgres://me@db.example/parley\n");
  });
});
