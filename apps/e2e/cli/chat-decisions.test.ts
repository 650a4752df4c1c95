import { describe, expect, it } from "vitest";
import { approvingAgent, askingAgent } from "../client/approving-agent.ts";
import { eventually, shareServer, within } from "../server.ts";
import { answersOf, createCalls } from "../siblings/calls.ts";
import { shareAccounts } from "../tools/account-server.ts";
import { createPersonalUsers } from "../tools/personal-users.ts";
import { createShopAgents } from "../tools/shop-agent.ts";
import { shareShop } from "../tools/shop-server.ts";
import { keys, leave, openChat } from "./open-chat.ts";
import { openUser, settingsOf } from "./user.ts";

const { enter, ctrlC, ctrlD } = keys;

describe("what an answer waits for", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const calls = createCalls(server);
  const shop = shareShop();
  const accounts = shareAccounts();
  const shopAgents = createShopAgents(server);
  const users = createPersonalUsers(server, accounts);

  /** A chat whose first message has been sent. */
  const openAsked = async (agent: string, options: Parameters<typeof openChat>[2] = {}) => {
    const terminal = await openChat(server(), [agent], options);
    await terminal.waitFor(/Ctrl-D leaves\n\n[^]*>$/);
    terminal.write(`Please${enter}`);
    return terminal;
  };
  const actionsOf = async (id: string) =>
    answersOf(await calls.get(id)).flatMap(({ actions }) => actions);

  it("is approved once its inputs have been seen", async () => {
    const terminal = await openAsked(await approvingAgent(server()));
    const shown = await terminal.waitFor(/y\/n>$/);
    expect(shown).toMatch(/asks to call\s+refund-\S+\s+of\s+sandbox_functions,\s+stake\s+high\n/);
    expect(shown).toContain('{\n  "order": "4711"\n}\ny approves, n rejects, e edits\ny/n>');
    // Its stake is too high to approve it permanently.
    terminal.write(`a${enter}`);
    await terminal.waitFor(/y\/n> a\n[^]*y\/n>$/);
    terminal.write(`y${enter}`);
    await terminal.waitFor(/called refund-\S+\s+Done: \{"refunded":"4711"\}\n\n[^]*>$/);
    expect(await actionsOf(await leave(terminal))).toMatchObject([{ status: "succeeded" }]);
  });

  it("is rejected, or called with other inputs", async () => {
    const agent = await approvingAgent(server());
    const terminal = await openAsked(agent);
    await terminal.waitFor(/y\/n>$/);
    terminal.write(`n${enter}`);
    await terminal.waitFor(/: denied\n\nDone: The user has denied the call\n\n\S+>$/);
    terminal.write(`Again${enter}`);
    await terminal.waitFor(/> Again\n[^]*y\/n>$/);
    terminal.write(`e${enter}`);
    await terminal.waitFor(/inputs> {"order":"4711"}$/);
    terminal.write(`x${enter}`);
    await terminal.waitFor(/The inputs must be a JSON object\n[^]*y\/n>$/);
    terminal.write(`e${enter}`);
    await terminal.waitFor(/object\n[^]*inputs> {"order":"4711"}$/);
    terminal.write(`\b\b1"}${enter}`);
    await terminal.waitFor(/"order": "47111"\n}\ny approves[^\n]*\ny\/n>$/);
    terminal.write(`y${enter}`);
    await terminal.waitFor(/Done: {"refunded":"47111"}\n\n\S+>$/);
    expect(await actionsOf(await leave(terminal))).toMatchObject([
      { status: "denied" },
      { status: "succeeded", params: { order: "47111" } },
    ]);
  });

  it("shows the beginning of long inputs, and all of them if that is wanted", async () => {
    const terminal = await openAsked(await approvingAgent(server()));
    await terminal.waitFor(/y\/n>$/);
    terminal.write(`e${enter}`);
    await terminal.waitFor(/inputs> {"order":"4711"}$/);
    const order = `${"long ".repeat(600)}end`;
    terminal.write(`${keys.clear}${keys.paste(JSON.stringify({ order }))}`);
    await terminal.waitFor(/inputs> \[pasted 1: 1 lines, \d+ characters\]$/);
    terminal.write(enter);
    const cut = await terminal.waitFor(
      /… and 1\d\d\d more characters\n[^]*v shows everything\ny\/n>$/,
    );
    expect(cut).not.toContain("end");
    terminal.write(`v${enter}`);
    await terminal.waitFor(/end"\n}\ny approves, n rejects, e edits\ny\/n>$/);
    terminal.write(`y${enter}`);
    await terminal.waitFor(/Done: [^]*\n\n\S+>$/);
    expect(await actionsOf(await leave(terminal))).toMatchObject([{ params: { order } }]);
  });

  it("is approved permanently if the stake allows it", async () => {
    const { tool } = await shopAgents.register(shop(), { defaultStake: "low" });
    const terminal = await openAsked(await shopAgents.createAgent(tool.sId, "shop__buy"));
    await terminal.waitFor(/a approves all later calls[^]*y\/n>$/);
    terminal.write(`a${enter}`);
    await terminal.waitFor(/It says: Bought shoes\n\n[^]*>$/);
    terminal.write(`More${enter}`);
    const whole = await terminal.waitFor(/> More\n[^]*It says: Bought shoes\n\n[^]*>$/);
    expect(whole.match(/asks to call/g)).toHaveLength(1);
    await leave(terminal);
  });

  it("is a question, which is answered by number or in words", async () => {
    const terminal = await openAsked(await askingAgent(server()));
    await terminal.waitFor(/asks: Which size\?\n {2}1\. Small\n {2}2\. Large\n[^]*answer>$/);
    terminal.write(`2${enter}`);
    await terminal.waitFor(/So: Large\n\n[^]*>$/);
    terminal.write(`Again${enter}`);
    await terminal.waitFor(/> Again\n[^]*answer>$/);
    terminal.write(`Between the two${enter}`);
    await terminal.waitFor(/So: Between the two\n\n[^]*>$/);
    const outputs = (await actionsOf(await leave(terminal))).map(({ output }) => output);
    expect(outputs).toMatchObject([[{ text: "Large" }], [{ text: "Between the two" }]]);
  });

  it("cancels the answer with Ctrl-C", async () => {
    const terminal = await openAsked(await approvingAgent(server()));
    await terminal.waitFor(/y\/n>$/);
    terminal.write(ctrlC);
    await terminal.waitFor(/cancelled\n\n\S+>$/);
    const [answer] = answersOf(await calls.get(await leave(terminal)));
    expect(answer?.status).toBe("cancelled");
  });

  it("is still there when the conversation is continued, unless it was decided elsewhere", async () => {
    const terminal = await openAsked(await approvingAgent(server()));
    await terminal.waitFor(/y\/n>$/);
    terminal.write(ctrlD);
    expect(await within(10_000, terminal.exited)).toBe(0);
    const [, id = ""] = /chat --conversation (\S+)/.exec(terminal.scrollback()) ?? [];
    const [first, second] = [0, 1].map(() => openChat(server(), ["--conversation", id]));
    const [one, other] = [await first!, await second!];
    await one.waitFor(/> Please\n[^]*asks to call\s[^]*y\/n>$/);
    await other.waitFor(/y\/n>$/);
    one.write(`y${enter}`);
    await one.waitFor(/Done: {"refunded":"4711"}\n\n\S+>$/);
    other.write(`n${enter}`);
    await other.waitFor(/Done: {"refunded":"4711"}\n\n\S+>$/);
    await leave(one);
    await leave(other);
    const later = await openChat(server(), ["--conversation", id]);
    await later.waitFor(/Done: {"refunded":"4711"}\n\n\S+>$/);
    await leave(later);
  });

  it("is the user's own account, which is allowed in the browser", async () => {
    const { toolId, agentId } = await users.prepare();
    // The tool's server names its tools once somebody is let in.
    await users.allow(await users.create("ada"), { toolId, login: "ada" });
    const bob = await users.create("bob");
    const terminal = await openAsked(agentId, {
      columns: 400,
      settings: { PARLEY_API_KEY: bob, PARLEY_WORKSPACE: users.wId() },
    });
    const shown = await terminal.waitFor(/Open http\S+\nThe answer continues once you allow it/);
    const [, url = ""] = /Open (\S+)/.exec(shown) ?? [];
    await users.confirm(await accounts().approve(url, "bob"));
    await terminal.waitFor(/You are bob\n\n[^]*>$/);
    expect(accounts().calls).toContain("bob");
    await leave(terminal);
  });

  it("ends a command for scripts with an exit code of its own", async () => {
    const { run } = await openUser();
    const agent = await approvingAgent(server());
    const settings = settingsOf(server());
    for (const args of [
      ["ask", "Please", "--agent", agent],
      ["chat", agent, "--once", "Please"],
    ]) {
      const { code, stdout, stderr } = await run(args, "", settings);
      expect([code, stdout]).toEqual([3, "One moment. \n"]);
      const [, id = ""] =
        /parley: The answer is waiting for your decision: run parley chat --conversation (\S+),/.exec(
          stderr,
        ) ?? [];
      const blocked = await eventually(async () => {
        const { workspaceId: wId } = server().demo;
        const list = calls.rpc().conversations.listBlockedActions;
        const { blockedActions } = await list.query({ wId, cId: id });
        return blockedActions.length > 0 ? { value: blockedActions } : {};
      }, 10_000);
      expect(blocked).toHaveLength(1);
    }
  });
});
