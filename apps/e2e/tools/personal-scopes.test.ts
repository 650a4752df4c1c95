import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { shareAccounts } from "./account-server.ts";
import { createPersonalUsers } from "./personal-users.ts";

describe("a server whose calls need more than its users allowed first", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  let needed = "tools:write";
  const accounts = shareAccounts({ callScope: () => needed });
  const users = createPersonalUsers(server, accounts);
  const missing = "blocked_authentication_required";
  const scopeOf = (url: string) => new URL(url).searchParams.get("scope");

  it("has its users asked for both, once", async () => {
    const { toolId, agentId } = await users.prepare();
    const ada = await users.create("ada");
    const start = () =>
      users.rpc(ada).toolAuthorizations.start.mutate({ wId: users.wId(), toolId });
    expect(scopeOf((await start()).authorization.authorizationUrl)).toBe("tools:call");
    await users.allow(ada, { toolId, login: "ada" });

    const refused = await users.answer(ada, await users.ask(ada, agentId));
    expect(refused.content).toContain('needs the scope \\"tools:write\\"');
    expect(accounts().calls).toEqual([]);

    const cId = await users.ask(ada, agentId);
    await users.blocked(ada, cId, missing);
    const asked = (await start()).authorization.authorizationUrl;
    expect(scopeOf(asked)).toBe("tools:call tools:write");
    await users.allow(ada, { toolId, login: "ada" });
    expect((await users.answer(ada, cId)).content).toContain("You are ada");
    expect(accounts().calls).toEqual(["ada"]);
  });

  it("fails calls that need what its users have allowed already, and asks nobody again", async () => {
    const { toolId, agentId } = await users.prepare();
    const bob = await users.create("bob");
    await users.allow(bob, { toolId, login: "bob" });
    // No token ever has it: the authorization server does not know it.
    needed = "tools:call tools:write";
    await users.answer(bob, await users.ask(bob, agentId));
    const cId = await users.ask(bob, agentId);
    await users.blocked(bob, cId, missing);
    await users.allow(bob, { toolId, login: "bob" });
    const repeated = await users.answer(bob, cId);
    expect(repeated.content).toContain("which its user has allowed already");
    const again = await users.answer(bob, await users.ask(bob, agentId));
    expect(again.content).toContain("which its user has allowed already");
    expect(await users.listBlocked(bob, cId)).toEqual([]);
  });
});
