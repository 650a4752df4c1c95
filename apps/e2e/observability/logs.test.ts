import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { readFrames } from "../frames.ts";
import { open, pathsOf, type Request, send } from "../request.ts";
import { eventually, type Server, shareServer } from "../server.ts";
import { metricsUrl } from "./scrape.ts";

interface Line {
  readonly msg: string;
  readonly level: number;
  readonly requestId?: string;
  readonly workspaceId?: string;
  readonly [member: string]: unknown;
}

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${TRACE}-b7ad6b7169203331-01`;

/** The lines of a server's log; throws on one that is not JSON. */
function linesOf(server: Server): Line[] {
  const lines = server.output.stderr.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as Line);
}

/** Looks until a line of the log is as it is to be. */
async function lineOf(server: Server, isIt: (line: Line) => boolean): Promise<Line> {
  return eventually(async () => {
    const value = linesOf(server).find(isIt);
    return value === undefined ? {} : { value };
  }, 10_000);
}

describe("a server", () => {
  const server = shareServer({ PARLEY_LOG_LEVEL: "trace" });

  test("what people send, and their keys, are in no line", { timeout: 120_000 }, async () => {
    const marker = `marker-${randomBytes(8).toString("hex")}`;
    const paths = pathsOf(server());
    const { demo } = server();
    const marked = (agent: string) => ({
      message: {
        content: `${marker} content`,
        mentions: [{ configurationId: agent }],
        context: { username: `${marker}-user`, timezone: "UTC", email: `${marker}@example.com` },
      },
      title: `${marker} title`,
      contentFragments: [{ title: `${marker}.txt`, content: marker, contentType: "text/plain" }],
      blocking: true,
    });
    const wrongKey = `sk-${marker}`;
    const statuses: number[] = [];
    const ask = async (request: Request) => {
      const answer = await send(server(), request);
      statuses.push(answer.status);
      return answer;
    };
    for (const agent of ["helper", "faulty"]) {
      const created = await ask({ path: paths.conversations, json: marked(agent) });
      expect(created.text).toContain(marker);
      const { sId } = (JSON.parse(created.text) as { conversation: { sId: string } }).conversation;
      const path = `${paths.conversations}/${sId}`;
      await ask({ path: `${path}/messages`, json: { content: marker, mentions: [] } });
      await ask({ path, method: "PATCH", json: { title: marker } });
      await ask({ path: `${path}?note=${marker}` });
      const leave = new AbortController();
      const events = `${path.replace("/api/", "/api/sse/")}/events?lastEventId=0&note=${marker}`;
      const stream = await open(server(), { path: events, signal: leave.signal });
      for await (const { text } of readFrames(stream)) if (text.includes(marker)) break;
      leave.abort();
    }
    for (const slug of ["add", "word-count", "always-fails"]) {
      await ask({ path: paths.invocations(slug), json: { input: { a: marker, text: marker } } });
    }
    await ask({ path: `${paths.skills}?status=${marker}` });
    await ask({ path: `${paths.skills}?q=${marker}`, key: wrongKey });
    await ask({ path: paths.skills, key: null, headers: { authorization: `Basic ${marker}` } });
    await ask({ path: `/nowhere/${marker}?${marker}` });
    await ask({ path: `${paths.skills}/%zz${marker}` });
    await ask({ path: `${paths.conversations}/${marker}` });
    const json = { "content-type": "application/json" };
    const malformed = `{"message": {"content": "${marker}", "key": "${demo.adminKey}" oops`;
    await ask({ path: paths.conversations, body: malformed, headers: json });
    await ask({ path: `/rpc/skills.create`, body: malformed, headers: json });
    await ask({ path: paths.conversations, body: marker, headers: { "content-type": marker } });
    await ask({ path: paths.conversations, json: { message: { content: 7, [marker]: marker } } });
    const input = JSON.stringify({ json: { wId: demo.workspaceId, name: marker } });
    await ask({ path: `/rpc/skills.create?input=${encodeURIComponent(input)}` });
    const rpc = { wId: demo.workspaceId, ...marked("helper") };
    await ask({ path: "/rpc/conversations.create", json: { json: rpc } });
    const named = { json: { wId: demo.workspaceId, name: marker, role: "user" } };
    const key = demo.operatorKey;
    const made = await ask({ path: "/rpc/apiKeys.create", json: named, key });
    const secret = /sk-[\w.~+/-]{16,}/.exec(made.text)?.[0] ?? "";
    expect(secret).not.toBe("");
    await ask({ path: paths.skills, key: secret });

    const announced = { contentType: "text/plain", fileName: `${marker}.txt`, fileSize: 40 };
    const file = await ask({
      path: `${paths.workspace}/files`,
      json: { ...announced, useCase: "conversation" },
    });
    const uploadUrl = /"uploadUrl":"([^"]+)"/.exec(file.text)?.[1] ?? "";
    const form = new FormData();
    const text = marker.padEnd(40);
    form.append("file", new Blob([text], { type: "text/plain" }), `${marker}.txt`);
    const authorization = `Bearer ${demo.adminKey}`;
    const sent = { method: "POST", body: form, headers: { authorization, cookie: marker } };
    expect((await fetch(uploadUrl, sent)).status).toBe(200);
    const skills = new FormData();
    const skill = `---\nname: ${marker}\ndescription: ${marker}\n---\n${marker}\n`;
    skills.append("files", new Blob([skill]), `${marker}/SKILL.md`);
    const imported = await fetch(`${server().url}${paths.skills}/import`, {
      ...sent,
      body: skills,
    });
    statuses.push(imported.status);

    // What was sent came as far as it was to come.
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(8);
    expect(statuses).toEqual(expect.arrayContaining([201, 400, 401, 404]));
    await lineOf(server(), (line) => line.msg === "A run ended");
    const log = server().output.stderr;
    expect(log.length).toBeGreaterThan(2000);
    const secrets = [demo.adminKey, demo.userKey, demo.operatorKey, secret, wrongKey];
    for (const unwanted of [marker, ...secrets, "Bearer ", "sk-", "uthorization"]) {
      const lines = log.split("\n").filter((line) => line.includes(unwanted));
      expect(lines, unwanted).toEqual([]);
    }
  });

  test("without a port for them, there are no metrics", () => {
    expect(() => metricsUrl(server())).toThrow("serves no metrics");
  });

  test("a request's lines say which it is and whose, and of which trace", async () => {
    const { skills } = pathsOf(server());
    await send(server(), { path: skills, headers: { "x-request-id": "asked-1", traceparent } });
    const line = await lineOf(server(), ({ requestId }) => requestId === "asked-1");
    expect(line).toMatchObject({
      workspaceId: server().demo.workspaceId,
      traceId: TRACE,
      keyId: expect.any(String),
      durationMs: expect.any(Number),
    });
    await send(server(), { path: skills, headers: { "x-request-id": "asked-2" } });
    const other = await lineOf(server(), ({ requestId }) => requestId === "asked-2");
    expect(other).not.toHaveProperty("traceId");
  });

  const { workspaceId: wId } = { workspaceId: () => server().demo.workspaceId };
  const message = { content: "Hello", mentions: [{ configurationId: "helper" }] };
  const made = [
    {
      name: "a create over REST",
      ask: (): Request => ({ path: pathsOf(server()).conversations, json: { message } }),
    },
    {
      name: "a create over RPC",
      ask: (): Request => ({
        path: "/rpc/conversations.create",
        json: { json: { wId: wId(), message } },
      }),
    },
    {
      name: "an invocation over REST",
      ask: (): Request => ({ path: pathsOf(server()).invocations("add"), json: { input: {} } }),
    },
    {
      name: "an invocation over RPC",
      ask: (): Request => ({
        path: "/rpc/sandboxFunctions.invoke",
        json: { json: { wId: wId(), functionId: "add", input: {} } },
      }),
    },
  ];

  test.for(made)("the worker says which request and trace $name belongs to", async ({ ask }) => {
    const requestId = `made-${randomBytes(6).toString("hex")}`;
    const headers = { "x-request-id": requestId, traceparent };
    const answer = await send(server(), { ...ask(), headers });
    expect(answer.status).toBeLessThan(300);
    const ofRun = (msg: string) => (line: Line) => line.requestId === requestId && line.msg === msg;
    for (const msg of ["A run starts", "A run ended"]) {
      expect(await lineOf(server(), ofRun(msg))).toMatchObject({
        workspaceId: wId(),
        logId: expect.any(String),
        attempt: 1,
        traceId: TRACE,
        traceparent,
      });
    }
  });

  test("a replay changes nothing of the run's trace, and a bad one is ignored", async () => {
    const key = randomBytes(6).toString("hex");
    const ask = (requestId: string, trace: string) =>
      send(server(), {
        path: pathsOf(server()).conversations,
        json: { message, blocking: true },
        headers: { "idempotency-key": key, "x-request-id": requestId, traceparent: trace },
      });
    await ask(`${key}-first`, traceparent);
    const again = await ask(`${key}-again`, traceparent.replace(TRACE, "f".repeat(32)));
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const bad = { "x-request-id": `${key}-bad`, traceparent: `${traceparent}-more` };
    const { conversations } = pathsOf(server());
    await send(server(), { path: conversations, json: { message }, headers: bad });
    const isEnd = (requestId: string) => (line: Line) =>
      line.requestId === requestId && line.msg === "A run ended";
    expect(await lineOf(server(), isEnd(`${key}-bad`))).not.toHaveProperty("traceId");
    expect(await lineOf(server(), isEnd(`${key}-first`))).toMatchObject({ traceId: TRACE });
    expect(linesOf(server()).filter(isEnd(`${key}-again`))).toEqual([]);
  });
});
