import http from "node:http";
import type { AddressInfo } from "node:net";
import {
  generateApiKey,
  insertApiKey,
  outliveRecentStates,
  revokeApiKey,
  type WorkspaceRow,
} from "@parley/core";
import {
  drivers,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
} from "@parley/core/testing";
import { skills } from "@parley/db";
import type { FastifyBaseLogger } from "fastify";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ApiSettings } from "./config.ts";
import { type Api, createApi } from "./server.ts";

type Headers = Readonly<Record<string, string>>;

/** All that a client gets, headers as they are written and in their order. */
interface Answer {
  readonly status: string;
  readonly headers: string[];
  readonly body: string;
}

/** What was logged, and how many requests went the long way. */
interface Seen {
  lines: string[];
  longWays: number;
}

/** A logger that keeps its lines; the framework gives each request of its own a child. */
function createTestLogger(seen: Seen, bindings: object = {}): FastifyBaseLogger {
  const info = (fields: object, message: string) =>
    seen.lines.push(JSON.stringify({ ...bindings, ...fields, message }));
  const silent = () => {};
  const levels = { fatal: silent, error: silent, warn: silent, debug: silent, trace: silent };
  const child = (of: object) => {
    // The caller's logger is a child of the request's.
    if ("requestId" in of) seen.longWays++;
    return createTestLogger(seen, { ...bindings, ...of });
  };
  return { level: "info", silent, ...levels, info, child } as unknown as FastifyBaseLogger;
}

for (const { driver, skip, suite } of drivers) {
  describe.skipIf(skip)(`repeats of a kept list ${suite}`, () => {
    let test: TestCore;
    let workspace: WorkspaceRow;
    let api: Api | undefined;
    let seen: Seen;
    let agent: http.Agent;
    beforeAll(async () => {
      test = await openTestCore(driver);
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
    afterEach(async () => {
      agent.destroy();
      await api?.close(0);
    });
    afterAll(() => test.close());

    async function listen(settings: Record<string, string> = {}): Promise<string> {
      seen = { lines: [], longWays: 0 };
      agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      api = await createApi({
        core: test.core,
        settings: ApiSettings.parse({ PARLEY_PORT: 0, ...settings }),
        logger: createTestLogger(seen),
      });
      await api.app.listen({ host: "127.0.0.1", port: 0 });
      seen.longWays = 0;
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

    /** A GET that says that its body is empty is no repeat, and is answered alike. */
    const long = { "content-length": "0" };

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
      "are answered and logged like the first, settings %s",
      async ([, changed]) => {
        const url = await listen(changed);
        const { secret } = await createKey();
        for (const query of ["", "?status=active&x=%20y", "?availability=workspace_users"]) {
          for (const [name, headers] of Object.entries(variants)) {
            const asked = { authorization: `Bearer ${secret}`, ...headers };
            await send(url + query, asked);
            const before = seen.longWays;
            const short = await send(url + query, asked);
            expect(seen.longWays, name).toBe(before);
            const shortLine = seen.lines.at(-1);
            const reference = await send(url + query, { ...asked, ...long });
            expect(seen.longWays, name).toBe(before + 1);
            expect(withoutOwn(short), name).toEqual(withoutOwn(reference));
            expect(short.headers.length).toBeGreaterThan(8);
            expect(withoutTimes(shortLine), name).toBe(withoutTimes(seen.lines.at(-1)));
            expect(leftOf(reference)).toEqual(leftOf(short) - 1);
          }
        }
      },
    );

    it("go the long way where anything differs, and are refused there", async () => {
      const url = await listen({ PARLEY_CORS_ORIGINS: "https://a.example" });
      const { secret, row } = await createKey();
      const { secret: other } = await createKey();
      const authorization = `Bearer ${secret}`;
      for (let count = 0; count < 2; count++) await send(url, { authorization });
      const goes = async (headers: Headers, { to = url, method = "GET" } = {}) => {
        const before = seen.longWays;
        const { status, body } = await send(to, { authorization, ...headers }, method);
        expect(seen.longWays).toBe(before + 1);
        return `${status} ${/"type":"(\w+)"/.exec(body)?.[1] ?? ""}`.trim();
      };
      expect(await goes({ authorization: `Bearer ${other}` })).toBe("1.1 200 OK");
      expect(await goes({ host: "other.example" })).toBe("1.1 200 OK");
      expect(await goes({ host: "a b" })).toBe("1.1 400 Bad Request invalid_request_error");
      expect(await goes({ origin: "https://a.example" })).toBe("1.1 200 OK");
      expect(await goes({}, { method: "HEAD" })).toBe("1.1 200 OK");
      expect(await goes({}, { method: "PUT" })).toMatch(/^1.1 405 .* method_not_supported_error$/);
      expect(await goes({}, { to: `${url}?status=x` })).toMatch(/ invalid_request_error$/);
      const foreign = url.replace(workspace.sid, "0123456789");
      expect(await goes({}, { to: foreign })).toMatch(/^1.1 401 .* workspace_auth_error$/);
      expect(await goes({ authorization: "Bearer sk-x" })).toMatch(/ invalid_api_key_error$/);
      const admin = await openTestContext(test.core, workspace, "admin");
      await revokeApiKey(admin, { workspaceId: workspace.sid, keyId: row.sid });
      expect(await goes({})).toMatch(/^1.1 401 .* invalid_api_key_error$/);
    });

    it("are asked of the database again: a change is in the next answer, charged once", async () => {
      const url = await listen();
      const asked = { authorization: `Bearer ${(await createKey()).secret}` };
      await send(url, asked);
      const before = await send(url, asked);
      expect(seen.longWays).toBe(1);
      await test.core.database.db.update(skills).set({ name: `after ${url}` });
      // As every act does before it is answered.
      await outliveRecentStates();
      const after = await send(url, asked);
      expect(after.body).toContain(`after ${url}`);
      expect(after.body).not.toBe(before.body);
      expect(leftOf(after)).toBe(leftOf(before) - 1);
      const again = await send(url, asked);
      expect(again.body).toBe(after.body);
      expect(seen.longWays).toBe(2);
    });

    it("are limited like the first", async () => {
      const url = await listen({ PARLEY_RATE_READ_PER_MINUTE: "3" });
      const asked = { authorization: `Bearer ${(await createKey()).secret}` };
      const answers = [];
      for (let count = 0; count < 5; count++) answers.push(await send(url, asked));
      const refused = "1.1 429 Too Many Requests";
      const statuses = ["1.1 200 OK", "1.1 200 OK", "1.1 200 OK", refused, refused];
      expect(answers.map(({ status }) => status)).toEqual(statuses);
      expect(answers.map(leftOf)).toEqual([2, 1, 0, 0, 0]);
      expect(withoutOwn(answers[4]!)).toEqual(withoutOwn(await send(url, { ...asked, ...long })));
      // Refusals come from the long way, like all others.
      expect(seen.longWays).toBe(4);
    });

    it("are trusted no longer than their key", async () => {
      const url = await listen();
      const asked = { authorization: `Bearer ${(await createKey()).secret}` };
      for (let count = 0; count < 3; count++) await send(url, asked);
      expect(seen.longWays).toBe(1);
      test.clock.now += 5000;
      for (let count = 0; count < 3; count++) await send(url, asked);
      expect(seen.longWays).toBe(2);
    });
  });
}
