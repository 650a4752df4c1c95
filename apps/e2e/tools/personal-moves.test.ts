import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { type AccountServer, shareAccounts, startAccountServer } from "./account-server.ts";
import { createPersonalUsers } from "./personal-users.ts";

describe("a call under way while the tool's server is replaced", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  let needed = "";
  let arrived: PromiseWithResolvers<void>;
  let answered: PromiseWithResolvers<void>;
  const beforeCall = async () => {
    arrived.resolve();
    await answered.promise;
  };
  // Tokens are forgotten by the second, so each test has a server of its own.
  let before: AccountServer;
  const after = shareAccounts();
  const users = createPersonalUsers(server, () => before);
  const moved = createPersonalUsers(server, after);
  beforeEach(async () => {
    arrived = Promise.withResolvers();
    answered = Promise.withResolvers();
    needed = "";
    before = await startAccountServer({ beforeCall, callScope: () => needed });
  });
  afterEach(async () => {
    answered.resolve();
    await before[Symbol.asyncDispose]();
  });

  /** A user's call that the old server holds, while the user allows the new one this many times. */
  async function moveMeanwhile(login: string, times: number) {
    const { toolId, agentId, version } = await users.prepare();
    const user = await users.create(`${login}-of-moves`);
    await users.allow(user, { toolId, login });
    const cId = await users.ask(user, agentId);
    await arrived.promise;
    const { version: seen } = await users.rpc().tools.getConnection.query({
      wId: users.wId(),
      toolId,
    });
    expect(seen).toBeGreaterThanOrEqual(version);
    await users.rpc().tools.updateConnection.mutate({
      wId: users.wId(),
      toolId,
      version: seen,
      url: after().mcpUrl,
      oauth: { grant: "authorization_code" },
    });
    for (let count = 0; count < times; count++) await moved.allow(user, { toolId, login });
    const known = before.requests.length;
    /** Lets the old server answer. Gives what it was asked after that. */
    const end = async () => {
      answered.resolve();
      const answer = await users.answer(user, cId);
      expect(answer.actions).toMatchObject([{ status: "errored" }]);
      return before.requests.slice(known);
    };
    return { user, agentId, end };
  }

  /** The new server is called for the user with what was allowed there. */
  async function expectAllowed({ user, agentId }: { user: string; agentId: string }, name: string) {
    const calls = after().calls.length;
    const granted = after().granted.length;
    const answer = await users.answer(user, await users.ask(user, agentId));
    expect(answer.content).toContain(`You are ${name}`);
    expect(after().calls.slice(calls)).toEqual([name]);
    expect(after().granted.slice(granted)).toEqual([]);
  }

  it("does not put what was allowed at the new one aside for a scope of the old one", async () => {
    const made = await moveMeanwhile("ada", 1);
    needed = "tools:everything";
    expect(await made.end()).toEqual([]);
    await expectAllowed(made, "ada");
  });

  it.each([
    ["bob", "its first token", 1],
    ["carl", "a later token", 2],
  ])("for %s does not send %s to the old one, which refuses its own", async (login, _, times) => {
    const made = await moveMeanwhile(login, times);
    before.forgetTokens();
    // Without a token: it may need none any more.
    expect(await made.end()).toEqual(["POST /mcp"]);
    await expectAllowed(made, login);
  });
});
