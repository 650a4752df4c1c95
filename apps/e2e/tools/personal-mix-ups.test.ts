import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { shareAccounts } from "./account-server.ts";
import { startMixUpServer } from "./mix-up-server.ts";
import { createPersonalUsers } from "./personal-users.ts";
import { createShopAgents } from "./shop-agent.ts";

describe("an MCP server that mixes its authorization server up with an honest one", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const accounts = shareAccounts();
  const users = createPersonalUsers(server, accounts);
  const agents = createShopAgents(server);

  const startAttacker = (page: (origin: string) => string) =>
    startMixUpServer(accounts(), { page });

  const register = (origin: string) =>
    agents.register(
      { url: `${origin}/mcp` },
      { name: "mixed", defaultStake: "never_ask", oauth: { grant: "authorization_code" } },
    );

  it("is not registered if its metadata names the honest page", async () => {
    await using attacker = await startAttacker(() => `${accounts().origin}/auth`);
    await expect(register(attacker.origin)).rejects.toThrow(
      `PARLEY_OAUTH_ENDPOINT_HOSTS=${attacker.host}=${accounts().host}`,
    );
    expect(attacker.tokenRequests).toEqual([]);
  });

  it("gets no code if its own page leads to the honest one", async () => {
    await using attacker = await startAttacker((origin) => `${origin}/authorize`);
    const { tool } = await register(attacker.origin);
    const ada = await users.create("ada");
    const back = await users.send(ada, { toolId: tool.sId, login: "ada" });
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      code: expect.any(String) as string,
      iss: accounts().origin,
    });
    // The asking user is named, even after another page.
    expect(await (await fetch(back)).text()).toContain(`<strong>${attacker.host}</strong>`);
    // Of a server that names itself nowhere, that is all there is: nothing is exchanged before somebody has seen it.
    const unnamed = new URL(back);
    unnamed.searchParams.delete("iss");
    expect(await (await fetch(unnamed)).text()).toContain(`<strong>${attacker.host}</strong>`);
    expect(attacker.tokenRequests).toEqual([]);
    expect(await users.confirm(back)).toContain("The code is of another authorization server");
    expect(attacker.tokenRequests).toEqual([]);
  });
});
