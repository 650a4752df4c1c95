import { beforeAll, describe, expect, it } from "vitest";
import { eventually, shareServer } from "../server.ts";
import { createCalls, readUntil } from "../siblings/calls.ts";
import { messageFrame } from "../siblings/sibling-shapes.ts";
import { shareAccounts } from "./account-server.ts";
import { createPersonalUsers } from "./personal-users.ts";

describe("tools that each user allows", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  let mayRevoke = Promise.resolve();
  const accounts = shareAccounts({ beforeRevocation: () => mayRevoke });
  const users = createPersonalUsers(server, accounts);
  const calls = createCalls(server);
  const missing = "blocked_authentication_required";

  let made: Awaited<ReturnType<typeof users.prepare>>;
  let ada: string;
  const ofTool = () => ({ wId: users.wId(), toolId: made.toolId });
  const as = (login: string) => ({ toolId: made.toolId, login });
  beforeAll(async () => {
    made = await users.prepare();
    ada = await users.create("ada");
    await users.allow(ada, as("ada"));
  });

  it("are registered before anybody has allowed them, and name their tools then", async () => {
    expect(made).toMatchObject({
      tool: {
        oAuthUseCase: "personal_actions",
        server: {
          tools: [],
          authorization: { provider: "mcp", supported_use_cases: ["personal_actions"] },
        },
      },
      connection: {
        oauth: { grant: "authorization_code" },
        fault: "The server lists its tools once the first user has authorized it",
      },
    });
    const { tool, connection } = await users.rpc().tools.getConnection.query(ofTool());
    expect(tool.server.tools.map(({ name }) => name)).toEqual(["whoami"]);
    expect(connection.fault).toBeNull();
  });

  it("are called for the user who asks", async () => {
    const before = accounts().calls.length;
    const answer = await users.answer(ada, await users.ask(ada, made.agentId));
    expect(answer.content).toContain("You are ada");
    expect(accounts().calls.slice(before)).toEqual(["ada"]);
    const seen = await users.rpc(ada).toolAuthorizations.get.query(ofTool());
    expect(seen.authorization).toMatchObject({ status: "granted" });
  });

  it("wait until their user has allowed them, and are then called once", async () => {
    const bob = await users.create("bob");
    const cId = await users.ask(bob, made.agentId);
    const blocked = await users.blocked(bob, cId, missing);
    expect(blocked).toMatchObject({
      type: "tool_personal_auth_required",
      metadata: { mcpServerId: made.toolId, mcpServerDisplayName: "accounts" },
      authError: { provider: "mcp", mcpServerId: made.toolId, toolName: "whoami" },
    });
    const path = `/${cId}/messages/${blocked.messageId}/events`;
    const events = await readUntil(
      await calls.stream(path, { key: bob }),
      messageFrame,
      ({ data }) => data.type === "tool_personal_auth_required",
    );
    expect(events.at(-1)?.data).toMatchObject({ actionId: blocked.actionId });
    const approved = await users.decide(bob, blocked, "approved");
    expect([approved.status, approved.text]).toEqual([400, expect.stringContaining(missing)]);
    const before = accounts().calls.length;
    expect(await users.allow(bob, as("bob"))).toContain("is allowed");
    expect((await users.answer(bob, cId)).content).toContain("You are bob");
    expect(accounts().calls.slice(before)).toEqual(["bob"]);
    expect(await users.listBlocked(bob, cId)).toEqual([]);
  });

  it("end as denied if their user does not want to", async () => {
    const carl = await users.create("carl");
    const cId = await users.ask(carl, made.agentId);
    const blocked = await users.blocked(carl, cId, missing);
    expect((await users.decide(carl, blocked, "rejected")).status).toBe(200);
    const answer = await users.answer(carl, cId);
    expect(answer.actions).toMatchObject([{ status: "denied" }]);
  });

  it("ask for an approval first if their stake wants one", async () => {
    const risky = await users.prepare({ defaultStake: "high" });
    const dora = await users.create("dora");
    await users.allow(ada, { toolId: risky.toolId, login: "ada" });
    const cId = await users.ask(dora, risky.agentId);
    const asked = await users.blocked(dora, cId, "blocked_validation_required");
    expect((await users.decide(dora, asked, "approved")).status).toBe(200);
    await users.blocked(dora, cId, missing);
    await users.allow(dora, { toolId: risky.toolId, login: "dora" });
    expect((await users.answer(dora, cId)).content).toContain("You are dora");
  });

  it("are not called once the user has taken it back", async () => {
    const emil = await users.create("emil");
    await users.allow(emil, as("emil"));
    await users.answer(emil, await users.ask(emil, made.agentId));
    // Nobody waits for an authorization server to hear of it.
    const asked = Promise.withResolvers<void>();
    mayRevoke = asked.promise;
    expect(await users.rpc(emil).toolAuthorizations.revoke.mutate(ofTool())).toEqual({
      success: true,
    });
    const before = accounts().calls.length;
    const cId = await users.ask(emil, made.agentId);
    await users.blocked(emil, cId, missing);
    expect(accounts().calls.slice(before)).toEqual([]);
    const seen = await users.rpc(emil).toolAuthorizations.get.query(ofTool());
    expect(seen.authorization).toEqual({ status: "required", scope: null, grantedAt: null });
    expect(accounts().revoked).toEqual([]);
    asked.resolve();
    await eventually(async () => {
      const [value] = accounts().revoked;
      return value === undefined ? {} : { value };
    }, 10_000);
  });

  it("tell in the audit log who has allowed and taken back what", async () => {
    const { auditEvents } = await users.rpc().audit.list.query({ wId: users.wId() });
    const ofThis = auditEvents.filter(({ subjectId }) => subjectId === made.toolId);
    for (const action of ["complete", "revoke"]) {
      expect(ofThis).toContainEqual(
        expect.objectContaining({ action: `toolAuthorizations.${action}`, outcome: "succeeded" }),
      );
    }
  });
});
