import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { shareAccounts } from "./account-server.ts";
import { createPersonalUsers } from "./personal-users.ts";

// What comes back from an authorization server, and what its tokens are worth later.

const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });

describe("tokens that end at once", () => {
  // Parley uses each for a second.
  const accounts = shareAccounts({ tokenSeconds: 2 });
  const users = createPersonalUsers(server, accounts);
  let made: Awaited<ReturnType<typeof users.prepare>>;
  beforeAll(async () => {
    made = await users.prepare();
  });

  it("are refreshed, by one process or call at a time", async () => {
    const ada = await users.create("ada-of-ends");
    await users.allow(ada, { toolId: made.toolId, login: "ada" });
    await delay(1100);
    const asked = await Promise.all([1, 2, 3, 4].map(() => users.ask(ada, made.agentId)));
    for (const cId of asked) {
      expect((await users.answer(ada, cId)).content).toContain("You are ada");
    }
    // A refresh token that is used twice ends the grant.
    const refreshed = accounts().granted.filter((grant) => grant === "refresh_token").length;
    expect(refreshed).toBeGreaterThan(0);
    expect(refreshed).toBeLessThan(4);
    const seen = await users.rpc(ada).toolAuthorizations.get.query({
      wId: users.wId(),
      toolId: made.toolId,
    });
    expect(seen.authorization.status).toBe("granted");
  });
});

describe("what a server refuses", () => {
  const accounts = shareAccounts();
  const users = createPersonalUsers(server, accounts);
  let made: Awaited<ReturnType<typeof users.prepare>>;
  beforeAll(async () => {
    made = await users.prepare();
  });
  const as = (login: string) => ({ toolId: made.toolId, login });

  it("is refreshed, and the call is made", async () => {
    const ada = await users.create("ada-of-refusals");
    await users.allow(ada, as("ada"));
    await users.answer(ada, await users.ask(ada, made.agentId));
    const before = accounts().granted.length;
    // The server counts in seconds.
    await delay(1100 - (Date.now() % 1000));
    accounts().forgetTokens();
    await delay(1100 - (Date.now() % 1000));
    const answer = await users.answer(ada, await users.ask(ada, made.agentId));
    expect(answer.content).toContain("You are ada");
    expect(accounts().granted.slice(before)).toEqual(["refresh_token"]);
  });

  it("is a code that is used twice, and a state that is another's", async () => {
    const bob = await users.create("bob-of-refusals");
    const back = await users.send(bob, as("bob"));
    expect(await users.confirm(back)).toContain("is allowed");
    const again = await fetch(back);
    expect(again.status).toBe(400);
    expect(await again.text()).toContain("start again");
    const forged = new URL(back);
    forged.searchParams.set("state", "A".repeat(43));
    expect((await fetch(forged)).status).toBe(400);
  });

  it("is an issuer that is another, a form from elsewhere, and too much", async () => {
    const carl = await users.create("carl-of-refusals");
    const back = await users.send(carl, as("carl"));
    const url = back.origin + back.pathname;
    const post = (more: Record<string, string>, headers: Record<string, string> = {}) => {
      const body = new URLSearchParams({ ...Object.fromEntries(back.searchParams), ...more });
      return fetch(url, { method: "POST", body, headers });
    };
    const mixed = await post({ iss: "https://evil.example" });
    expect([mixed.status, await mixed.text()]).toEqual([
      422,
      expect.stringContaining("another authorization server"),
    ]);
    expect((await post({}, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await post({ code: "x".repeat(9000) })).status).toBe(400);
    expect((await post({ code: "x".repeat(20_000) })).status).toBe(413);
    expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(400);
    expect((await fetch(url, { method: "DELETE" })).status).toBe(405);
    const denied = await fetch(`${url}?error=access_denied&error_description=<b>No</b>`);
    const text = await denied.text();
    expect([denied.status, text]).toEqual([400, expect.stringContaining("&#60;b&#62;No")]);
    expect(denied.headers.get("content-security-policy")).toContain("form-action 'self'");
    expect(await users.confirm(back)).toContain("is allowed");
  });

  it("is a user who is no longer a member", async () => {
    const dora = await users.create("dora-of-refusals");
    await users.allow(dora, as("dora"));
    const wId = users.wId();
    const back = await users.send(dora, as("dora"));
    const scopes = ["conversations:read" as const];
    const named = { wId, externalId: "dora-of-refusals", scopes };
    const { user } = await users.rpc().userTokens.create.mutate(named);
    await users.rpc().members.remove.mutate({ wId, memberId: user.sId });
    expect(await users.confirm(back)).not.toContain("is allowed");
  });

  it("is a client that nobody can be asked with", async () => {
    await expect(users.prepare({ oAuthUseCase: "platform_actions" })).rejects.toThrow(
      "oAuthUseCase: must be personal_actions",
    );
    await expect(
      users.prepare({ oauth: { clientId: "machine" }, oAuthUseCase: "platform_actions" }),
    ).rejects.toThrow("clientSecret: is required");
    const plain = await users.prepare({ oauth: undefined, headers: {} }).catch(String);
    expect(plain).toContain("HTTP 401");
  });
});
