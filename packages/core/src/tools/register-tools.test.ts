import { randomBytes } from "node:crypto";
import { toolConnections } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import { createTestToolServers, OAUTH_URL, testTool } from "../../testing/tool-servers.ts";
import { listSandboxFunctions } from "../functions/list-functions.ts";
import { getSandboxFunction } from "../functions/sandbox-functions.ts";
import type { CoreContext } from "../create-core.ts";
import { createSecretBox } from "../workspaces/secret-box.ts";
import { createSpace } from "../workspaces/spaces.ts";
import {
  getToolConnection,
  refreshToolNow,
  registerTool,
  updateToolConnection,
} from "./register-tools.ts";
import { refreshUsedServer } from "./refresh-tools.ts";
import { removeTool } from "./tool-administration.ts";

describe("remote tools", () => {
  const servers = createTestToolServers();
  const url = "https://shop.test/mcp";
  const secretBox = createSecretBox([randomBytes(32)]);
  const test = coreTest({ toolServers: servers, secretBox });
  let context: CoreContext;
  let spaceId: string;
  let wId: string;
  beforeAll(async () => {
    const workspace = await insertTestWorkspace(test.core);
    wId = workspace.sid;
    context = await openTestContext(test.core, workspace, "admin");
    const space = parseInput(endpoints["spaces.create"], { wId, name: "Shop" });
    const made = await createSpace(context, space);
    spaceId = made.space.sId;
    servers.answers.set(url, [testTool("find"), testTool("buy", "Buys")]);
  });

  const register = async (more: object = {}) =>
    registerTool(context, parseInput(endpoints["tools.register"], { wId, spaceId, url, ...more }));
  const bySid = (toolId: string) => ({ wId, toolId });

  it("are what their servers offer, and keep their secrets", async () => {
    const made = await register({ headers: { Authorization: "Bearer secret-of-shop" } });
    expect(servers.asked.at(-1)).toEqual({ Authorization: "Bearer secret-of-shop" });
    expect(made.tool).toMatchObject({ name: "shop", serverType: "remote", spaceId });
    expect(made.tool.server.tools.map(({ name }) => name)).toEqual(["find", "buy"]);
    expect(made.connection).toMatchObject({
      url,
      headerNames: ["Authorization"],
      defaultStake: "high",
      timeoutMs: 60_000,
      fault: null,
    });
    const stored = await test.core.database.db.select().from(toolConnections);
    expect(JSON.stringify([stored, made])).not.toContain("secret-of-shop");
    await refreshToolNow(context, bySid(made.tool.sId));
    expect(servers.asked.at(-1)).toEqual({ Authorization: "Bearer secret-of-shop" });
  });

  it("leave nothing if the server does not answer", async () => {
    const before = await test.core.database.db.$count(toolConnections);
    const error = await refusalOf(register({ url: "https://nobody.test/mcp" }));
    expect(error).toBe("422 tool_unreachable");
    expect(await test.core.database.db.$count(toolConnections)).toBe(before);
  });

  it("are without those whose schemas cannot be used, and say so", async () => {
    const lying = "https://lying.test/mcp";
    servers.answers.set(lying, [
      testTool("fine"),
      { name: "list", description: "", inputSchema: { type: "array" } },
      { name: "broken", description: "", inputSchema: { type: "object", required: 7 } },
    ]);
    const { tool, connection } = await register({ url: lying });
    expect(tool.server.tools.map(({ name }) => name)).toEqual(["fine"]);
    expect(connection.fault).toMatch(/^Left out: list: .*; broken: /);
  });

  it("have a new version when their servers change, and only then", async () => {
    const { tool, version } = await register();
    const unchanged = await refreshToolNow(context, bySid(tool.sId));
    expect(unchanged.version).toBe(version);
    servers.answers.set(url, [testTool("find"), testTool("buy", "Buys"), testTool("sell")]);
    const changed = await refreshToolNow(context, bySid(tool.sId));
    expect(changed.version).toBe(version + 1);
    expect(changed.tool.server.tools).toHaveLength(3);
    servers.answers.set(url, [testTool("find"), testTool("buy", "Buys")]);
  });

  it("stay as they were while their servers fail, with the fault", async () => {
    const { tool } = await register();
    const answer = servers.answers.get(url)!;
    servers.answers.set(url, { type: "failed", code: "timed_out", message: "It took too long" });
    const error = await refusalOf(refreshToolNow(context, bySid(tool.sId)));
    expect(error).toBe("422 tool_unreachable");
    const kept = await getToolConnection(context, bySid(tool.sId));
    expect(kept.tool.server.tools).toHaveLength(2);
    expect(kept.connection.fault).toBe("It took too long");
    servers.answers.set(url, answer);
  });

  it("are asked again when they are used, every ten minutes at most, or when they say so", async () => {
    const { tool } = await register();
    const options = { workspaceId: 1, origin: "run", signal: context.signal } as const;
    const use = async (changed: boolean) => {
      const before = servers.asked.length;
      await refreshUsedServer(test.core, { toolId: tool.id, changed }, options);
      return servers.asked.length - before;
    };
    expect(await use(false)).toBe(0);
    expect(await use(true)).toBe(1);
    test.clock.now += 10 * 60 * 1000 + 1;
    const before = servers.asked.length;
    await Promise.all([use(false), use(false)]);
    expect(servers.asked.length - before).toBe(1);
  });

  it("are asked again when their list no longer holds, as long as the server does not fail", async () => {
    const lasting = "https://lasting.test/mcp";
    const [minute, hour] = [60_000, 3_600_000];
    servers.answers.set(lasting, [testTool("find")]);
    servers.lifetimes.set(lasting, hour);
    const { tool, version } = await register({ url: lasting });
    const options = { workspaceId: 1, origin: "run", signal: context.signal } as const;
    const isAskedAfter = async (ms: number) => {
      test.clock.now += ms;
      const before = servers.asked.length;
      await refreshUsedServer(test.core, { toolId: tool.id }, options);
      return servers.asked.length > before;
    };
    // This process is told by its first refresh.
    expect(await isAskedAfter(11 * minute)).toBe(true);
    expect(await isAskedAfter(59 * minute)).toBe(false);
    servers.lifetimes.set(lasting, 365 * 24 * hour);
    expect(await isAskedAfter(2 * minute)).toBe(true);
    expect(await isAskedAfter(23 * hour)).toBe(false);
    servers.lifetimes.set(lasting, minute);
    expect(await isAskedAfter(2 * hour)).toBe(true);
    expect(await isAskedAfter(9 * minute)).toBe(false);
    servers.lifetimes.set(lasting, hour);
    expect(await isAskedAfter(2 * minute)).toBe(true);
    const answer = servers.answers.get(lasting)!;
    servers.answers.set(lasting, { type: "failed", code: "timed_out", message: "Too long" });
    expect(await isAskedAfter(2 * hour)).toBe(true);
    servers.answers.set(lasting, answer);
    expect(await isAskedAfter(11 * minute)).toBe(true);
    // Another server has promised nothing.
    await updateToolConnection(
      context,
      parseInput(endpoints["tools.updateConnection"], { ...bySid(tool.sId), version, url }),
    );
    expect(await isAskedAfter(11 * minute)).toBe(true);
  });

  it("send the headers of one server to no other", async () => {
    const { tool, version } = await register({ headers: { "X-Key": "one" } });
    const other = "https://other.test/mcp";
    servers.answers.set(other, [testTool("find")]);
    const moved = await updateToolConnection(
      context,
      parseInput(endpoints["tools.updateConnection"], { ...bySid(tool.sId), version, url: other }),
    );
    expect(moved.connection).toMatchObject({ url: other, headerNames: [] });
    await refreshToolNow(context, bySid(tool.sId));
    expect(servers.asked.at(-1)).toEqual({});
  });

  it("are called with tokens that Parley is issued, until those end or are refused", async () => {
    servers.answers.set(OAUTH_URL, [testTool("find")]);
    const oauth = { clientId: "parley", clientSecret: "secret-of-client" };
    const made = await register({ url: OAUTH_URL, oauth });
    expect(made.connection.oauth).toEqual({ grant: "client_credentials", clientId: "parley" });
    const stored = await test.core.database.db.select().from(toolConnections);
    expect(JSON.stringify([stored, made])).not.toContain("secret-of-client");
    const use = async () => {
      await refreshToolNow(context, bySid(made.tool.sId));
      return servers.asked.at(-1);
    };
    expect(await use()).toEqual({ Authorization: "Bearer token 2" });
    expect(await use()).toEqual({ Authorization: "Bearer token 2" });
    // Half of its minute is left.
    test.clock.now += 30_001;
    expect(await use()).toEqual({ Authorization: "Bearer token 3" });
    servers.answers.set(OAUTH_URL, { type: "failed", code: "unauthorized", message: "Who?" });
    // Once more with another token, which is refused too.
    expect(await refusalOf(use())).toBe("422 tool_unreachable");
    servers.answers.set(OAUTH_URL, [testTool("find")]);
    expect(await use()).toEqual({ Authorization: "Bearer token 5" });
  });

  it("send no token to another server that was set while the old one was asked", async () => {
    const other = "https://other-oauth.test/mcp";
    servers.answers.set(OAUTH_URL, [testTool("find")]);
    servers.answers.set(other, [testTool("find")]);
    const oauth = { clientId: "parley", clientSecret: "secret-of-before" };
    const { tool, version } = await register({ url: OAUTH_URL, oauth });
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const { requestToken } = servers;
    servers.requestToken = async (...given) => {
      asked.resolve();
      await answered.promise;
      return requestToken(...given);
    };
    const refreshed = refreshToolNow(context, bySid(tool.sId));
    await asked.promise;
    servers.requestToken = requestToken;
    const changed = {
      ...bySid(tool.sId),
      version,
      url: other,
      oauth: { clientId: "parley", clientSecret: "secret-of-after" },
    };
    await updateToolConnection(context, parseInput(endpoints["tools.updateConnection"], changed));
    answered.resolve();
    await refreshed;
    const { db } = test.core.database;
    const [stored] = await db
      .select({ token: toolConnections.token, tokenUntil: toolConnections.tokenUntil })
      .from(toolConnections)
      .where(eq(toolConnections.url, other));
    expect(stored).toEqual({ token: null, tokenUntil: 0 });
  });

  it("are not functions of the workspace", async () => {
    const { tool } = await register();
    const { sandboxFunctions } = await listSandboxFunctions(context, {
      limit: 100,
      lastValue: undefined,
    });
    expect(sandboxFunctions).toEqual([]);
    const { db } = context.database;
    const read = getSandboxFunction(db, context.caller.workspace.id, tool.sId);
    expect(await refusalOf(read)).toBe("404 sandbox_function_not_found");
  });

  it("are gone with their connections", async () => {
    const { tool, version } = await register();
    await removeTool(context, { ...bySid(tool.sId), version });
    const read = getToolConnection(context, bySid(tool.sId));
    expect(await refusalOf(read)).toBe("404 tool_not_found");
  });
});
