import http from "node:http";
import type { AddressInfo } from "node:net";
import { generateApiKey, insertApiKey, revokeApiKey, type WorkspaceRow } from "@parley/core";
import {
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
} from "@parley/core/testing";
import { skills } from "@parley/db";
import type { FastifyBaseLogger } from "fastify";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ApiSettings } from "../config.ts";
import { type Api, createApi } from "../server.ts";

type Headers = Readonly<Record<string, string>>;

/** All that a client gets, headers as they are written and in their order. */
interface Answer {
  readonly status: string;
  readonly headers: string[];
  readonly body: string;
}

/** A logger that keeps its lines in `lines`. */
function createTestLogger(lines: string[], bindings: object = {}): FastifyBaseLogger {
  const info = (fields: object, message: string) =>
    lines.push(JSON.stringify({ ...bindings, ...fields, message }));
  const silent = () => {};
  const levels = { fatal: silent, error: silent, warn: silent, debug: silent, trace: silent };
  const child = (of: object) => createTestLogger(lines, { ...bindings, ...of });
  return { level: "info", silent, ...levels, info, child } as unknown as FastifyBaseLogger;
}

describe("lists from the cache", () => {
  let test: TestCore;
  let workspace: WorkspaceRow;
  let apis: Api[];
  let lines: string[];
  let agent: http.Agent;
  beforeAll(async () => {
    test = await openTestCore();
    workspace = await insertTestWorkspace(test.core);
    await test.core.database.db.insert(skills).values({
      sid: "skl_1",
      workspaceId: workspace.id,
      name: "skill",
      status: "active",
      availability: "workspace_users",
      agentFacingDescription: "x".repeat(2000),
      userFacingDescription: "",
      reinforcement: "off",
      createdAt: 0,
      updatedAt: 0,
    });
  });
  beforeEach(() => {
    apis = [];
    lines = [];
    agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  });
  afterEach(async () => {
    agent.destroy();
    for (const api of apis) await api.close(0);
  });
  afterAll(() => test.close());

  async function listen(settings: Record<string, string> = {}): Promise<string> {
    const api = await createApi({
      core: test.core,
      settings: ApiSettings.parse({ PARLEY_PORT: 0, ...settings }),
      logger: createTestLogger(lines),
    });
    apis.push(api);
    await api.app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = api.app.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/api/v1/w/${workspace.sid}/skills`;
  }

  async function createKey() {
    const secret = generateApiKey();
    const key = { workspaceId: workspace.id, name: "test", role: "user", secret } as const;
    return { secret, row: await insertApiKey(test.core, test.core.database.db, key) };
  }

  async function send(url: string, headers: Headers, method = "GET"): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = http.request(url, { method, headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const { httpVersion, statusCode, statusMessage, rawHeaders } = response;
          resolve({
            status: `${httpVersion} ${statusCode} ${statusMessage}`,
            headers: rawHeaders.flatMap((name, index) =>
              index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : [],
            ),
            body: Buffer.concat(chunks).toString("latin1"),
          });
        });
      });
      sent.on("error", reject).end();
    });
  }

  /** An answer without what is different in each. */
  const withoutOwn = ({ status, headers, body }: Answer): Answer => ({
    status,
    body: body.replace(/"request_id":"[^"]*"/, '"request_id":"…"'),
    headers: headers.map((line) =>
      line
        .replace(/^Date: .*/, "Date: …")
        .replace(/^(x-request-id: )[\da-f]{8}-[\da-f-]{27}$/, "$1…")
        .replace(/^(ratelimit: "read";r=)\d+;t=\d+$/, "$1…"),
    ),
  });
  const withoutTimes = (line: string | undefined) =>
    line?.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "…").replace(/"durationMs":[\d.]+/, "…");
  const leftOf = ({ headers }: Answer): number =>
    Number(/r=(\d+)/.exec(headers.find((line) => line.startsWith("ratelimit:")) ?? "")?.[1]);

  const settings = {
    "as they are set by default": {},
    "without limits": { PARLEY_RATE_READ_PER_MINUTE: "0" },
    "with origins": { PARLEY_CORS_ORIGINS: "https://a.example,https://b.example" },
  };
  const variants: Record<string, Headers> = {
    "as it is": {},
    compressed: { "accept-encoding": "gzip, br" },
    "not changed": { "if-none-match": "*" },
    "with an id": { "x-request-id": "mine.1" },
    "with a bad id": { "x-request-id": "not mine" },
    "from a page": { origin: "https://a.example" },
    "from a page of others": { origin: "https://c.example" },
    "on a connection for it alone": { connection: "close" },
    "with a type": { "content-type": "application/json", prefer: "wait=1" },
  };

  it.for(Object.entries(settings))(
    "are sent and logged like the first, settings %s",
    async ([, changed]) => {
      const url = await listen(changed);
      const { secret } = await createKey();
      for (const query of ["", "?status=active&x=%20y", "?availability=workspace_users"]) {
        for (const [name, headers] of Object.entries(variants)) {
          const asked = { authorization: `Bearer ${secret}`, ...headers };
          // The list has a version of its own each time.
          await test.core.database.db.update(skills).set({ name: `${name} ${url}${query}` });
          const first = await send(url + query, asked);
          const firstLine = lines.at(-1);
          const again = await send(url + query, asked);
          expect(withoutOwn(again), name).toEqual(withoutOwn(first));
          expect(again.headers.length).toBeGreaterThan(8);
          expect(withoutTimes(lines.at(-1)), name).toBe(withoutTimes(firstLine));
          expect(leftOf(again)).toEqual(leftOf(first) - 1);
        }
      }
    },
  );

  it("are of the last commit in every process", async () => {
    const urls = [await listen(), await listen()];
    const asked = { authorization: `Bearer ${(await createKey()).secret}` };
    for (let change = 0; change < 20; change++) {
      const name = `change ${change} of ${urls[0]}`;
      await test.core.database.db.update(skills).set({ name });
      for (const url of urls) expect((await send(url, asked)).body).toContain(name);
    }
  });

  it("are refused like all else: other keys, other methods, more than the limit", async () => {
    const url = await listen({ PARLEY_RATE_READ_PER_MINUTE: "3" });
    const { secret, row } = await createKey();
    const asked = { authorization: `Bearer ${secret}` };
    const answers = [];
    for (let count = 0; count < 5; count++) answers.push(await send(url, asked));
    const refused = "1.1 429 Too Many Requests";
    const statuses = ["1.1 200 OK", "1.1 200 OK", "1.1 200 OK", refused, refused];
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    expect(answers.map(leftOf)).toEqual([2, 1, 0, 0, 0]);
    expect((await send(url, asked, "PUT")).status).toMatch(/^1.1 405 /);
    expect((await send(url, { authorization: "Bearer sk-x" })).status).toMatch(/^1.1 401 /);
    const admin = await openTestContext(test.core, workspace, "admin");
    await revokeApiKey(admin, { wId: workspace.sid, keyId: row.sid });
    expect((await send(url, asked)).body).toContain("invalid_api_key_error");
  });
});
