import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { shareAccounts } from "./account-server.ts";
import { createPersonalUsers } from "./personal-users.ts";

describe("a server whose calls need more than its users allowed first", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  let needed = "tools:write";
  let refusals = 0;
  const callScope = () => {
    refusals++;
    return needed;
  };
  let revocationMs = 0;
  const beforeRevocation = async () => {
    await delay(revocationMs);
  };
  const accounts = shareAccounts({ callScope, beforeRevocation });
  const users = createPersonalUsers(server, accounts);
  const missing = "blocked_authentication_required";
  const scopeOf = (url: string) => new URL(url).searchParams.get("scope");

  it("has its users asked for both, and continues with the call that it refused", async () => {
    const { toolId, agentId } = await users.prepare();
    const ada = await users.create("ada");
    const start = () =>
      users.rpc(ada).toolAuthorizations.start.mutate({ wId: users.wId(), toolId });
    expect(scopeOf((await start()).authorization.authorizationUrl)).toBe("tools:call");
    await users.allow(ada, { toolId, login: "ada" });

    const cId = await users.ask(ada, agentId);
    const blocked = await users.blocked(ada, cId, missing);
    expect(blocked).toMatchObject({ type: "tool_personal_auth_required" });
    // Before its user is asked: many servers end all tokens of a user with one of them.
    expect(accounts().revoked).toContain("refresh_token");
    expect(accounts().calls).toEqual([]);
    const asked = (await start()).authorization.authorizationUrl;
    expect(scopeOf(asked)).toBe("tools:call tools:write");
    await users.allow(ada, { toolId, login: "ada" });
    const answer = await users.answer(ada, cId);
    expect(answer.content).toContain("You are ada");
    expect(answer.actions).toMatchObject([{ sId: blocked.actionId, status: "succeeded" }]);
    expect(accounts().calls).toEqual(["ada"]);
    expect(await users.listBlocked(ada, cId)).toEqual([]);
  });

  it("asks its users also if revoking takes longer than the call may", async () => {
    const { toolId, agentId } = await users.prepare({ timeoutMs: 1000 });
    const dora = await users.create("dora");
    await users.allow(dora, { toolId, login: "dora" });
    revocationMs = 600;
    const cId = await users.ask(dora, agentId);
    await users.blocked(dora, cId, missing);
    revocationMs = 0;
    await users.allow(dora, { toolId, login: "dora" });
    expect((await users.answer(dora, cId)).content).toContain("You are dora");
  });

  it("asks once for the same call, and then fails it", async () => {
    const { toolId, agentId } = await users.prepare();
    const bob = await users.create("bob");
    const as = { toolId, login: "bob" };
    await users.allow(bob, as);
    // No token ever has it: the authorization server does not know it.
    needed = "tools:call tools:write";
    refusals = 0;
    const cId = await users.ask(bob, agentId);
    await users.blocked(bob, cId, missing);
    // Another one each time.
    needed = "tools:everything";
    await users.allow(bob, as);
    const failed = await users.answer(bob, cId);
    expect(failed.content).toContain("call the tool again to ask the user");
    expect(failed.actions).toMatchObject([{ status: "errored" }]);
    expect(refusals).toBe(2);

    const again = await users.ask(bob, agentId);
    await users.blocked(bob, again, missing);
    await users.allow(bob, as);
    const repeated = await users.answer(bob, again);
    expect(repeated.content).toContain("which its user has allowed already");
    expect(await users.listBlocked(bob, again)).toEqual([]);
  });

  it("is not called again for a user who does not want to allow more", async () => {
    needed = "tools:write";
    const { toolId, agentId } = await users.prepare();
    const carl = await users.create("carl");
    await users.allow(carl, { toolId, login: "carl" });
    const before = accounts().calls.length;
    const cId = await users.ask(carl, agentId);
    const blocked = await users.blocked(carl, cId, missing);
    expect((await users.decide(carl, blocked, "rejected")).status).toBe(200);
    expect((await users.answer(carl, cId)).actions).toMatchObject([{ status: "denied" }]);
    const { runs } = await users.rpc().runs.list.query({ wId: users.wId() });
    expect(runs.find(({ kind }) => kind === "tool_call")?.status).toBe("cancelled");
    await users.allow(carl, { toolId, login: "carl" });
    expect(accounts().calls.slice(before)).toEqual([]);
  });
});
