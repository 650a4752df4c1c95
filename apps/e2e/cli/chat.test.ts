import { describe, expect, it } from "vitest";
import { shareServer, within } from "../server.ts";
import { answersOf, createCalls } from "../siblings/calls.ts";
import { keys, leave, openChat } from "./open-chat.ts";
import { openUser, settingsOf } from "./user.ts";

const { enter, ctrlC, up, altEnter, paste } = keys;

describe("a chat", () => {
  const server = shareServer();
  const calls = createCalls(server);
  const open = (...[args, options]: [string[], Parameters<typeof openChat>[2]?]) =>
    openChat(server(), args, options);
  const contents = async (cId: string) =>
    (await calls.get(cId)).content.flat().map((message) => "content" in message && message.content);

  it("answers several messages in one conversation, which another chat continues", async () => {
    const terminal = await open(["helper"]);
    await terminal.waitFor("helper>");
    terminal.write(`Hello${enter}`);
    await terminal.waitFor(/glad to help\.\s+helper>$/);
    terminal.write(`Again${enter}`);
    await terminal.waitFor(/You said: Again\nI am a simulated agent, glad to help\.\s+helper>$/);
    const id = await leave(terminal);
    expect(await contents(id)).toHaveLength(4);
    const later = await open(["--conversation", id]);
    await later.waitFor(/> Hello[^]*You said: Hello[^]*> Again[^]*You said: Again[^]*helper>$/);
    later.write(up);
    await later.waitFor(/helper> Again$/);
    later.write(up);
    await later.waitFor(/helper> Hello$/);
    later.write(enter);
    await later.waitFor(/You said: Hello\n[^]*You said: Hello\n[^]*helper>$/);
    expect(await leave(later)).toBe(id);
    expect(await contents(id)).toHaveLength(6);
  });

  it("asks who is talked to, and changes it", async () => {
    const terminal = await open([]);
    await terminal.waitFor(/Which agent do you ask\?[^]*● faulty/);
    terminal.write("\u001B[B");
    await terminal.waitFor(/● helper/);
    terminal.write(enter);
    await terminal.waitFor(/helper>$/);
    terminal.write(`@slowpoke Hello${enter}`);
    await terminal.waitFor(/nothing is\s+missing\.\s+slowpoke>$/, 30_000);
    terminal.write(`/agent helper${enter}`);
    await terminal.waitFor(/\nhelper>$/);
    terminal.write(`/nothing${enter}`);
    await terminal.waitFor(/\/nothing\nparley: Unknown command\. [^]*helper>$/);
    terminal.write(`@nobody Hello${enter}`);
    await terminal.waitFor(/@nobody Hello\nparley: No agent named "nobody"\. [^]*helper>$/);
    terminal.write(` /etc is a folder${enter}`);
    await terminal.waitFor(/You said: \/etc is a folder\n[^]*helper>$/);
    terminal.write(`/raw${enter}`);
    await terminal.waitFor(/helper> \/raw\nYou said: \/etc is a folder\nI am[^\n]*\n\nhelper>$/);
    terminal.write(`/new${enter}`);
    await terminal.waitFor(/\/new\n\nhelper>$/);
    terminal.write(`/help${enter}`);
    await terminal.waitFor(/End a line with \\, or press[^]*helper>$/);
    terminal.write(`/exit${enter}`);
    expect(await within(10_000, terminal.exited)).toBe(0);
    expect(terminal.scrollback()).not.toContain("continue with");
  });

  it("sends several lines as one message", async () => {
    const terminal = await open(["helper"]);
    await terminal.waitFor("helper>");
    terminal.write(paste("first\n\tsecond"));
    await terminal.waitFor("helper> first␤␉second");
    terminal.write(`\\${enter}`);
    await terminal.waitFor(/…$/);
    terminal.write(`third${altEnter}fourth${enter}`);
    await terminal.waitFor(/glad to help\.\s+helper>$/);
    const long = Array.from({ length: 40 }, (_line, index) => `line ${index}`).join("\n");
    terminal.write(`See ${paste(long)}`);
    await terminal.waitFor(/helper> See \[pasted 1: 40 lines, \d+ characters\]$/);
    terminal.write(enter);
    await terminal.waitFor(/line 39\nI am a simulated agent[^\n]*\s+helper>$/);
    const [first, , second] = await contents(await leave(terminal));
    expect(first).toBe("first\n\tsecond\nthird\nfourth");
    expect(second).toBe(`See ${long}`);
  });

  it("cancels an answer with Ctrl-C, and leaves with two at the prompt", async () => {
    const name = "Counting";
    const script = { steps: [{ text: "one two three ".repeat(2000) }], tokenDelayMs: 20 };
    await calls.createAgent(name, script);
    const terminal = await open([name]);
    await terminal.waitFor("Counting>");
    terminal.write(`Count${enter}`);
    await terminal.waitFor("one two three");
    // What is typed in the meantime is not a message.
    terminal.write(`nothing${enter}${ctrlC}`);
    await terminal.waitFor(/cancelled\n\nCounting>$/);
    terminal.write("half a message");
    await terminal.waitFor(/message$/);
    terminal.write(ctrlC);
    await terminal.waitFor(/message\nCounting>$/);
    terminal.write(ctrlC);
    await terminal.waitFor("Press Ctrl-C again to leave");
    await terminal.waitFor(/Counting>$/);
    terminal.write(ctrlC);
    expect(await within(10_000, terminal.exited)).toBe(0);
    const [, id = ""] = /chat --conversation (\S+)/.exec(terminal.scrollback()) ?? [];
    const [answer] = answersOf(await calls.get(id));
    expect(answer?.status).toBe("cancelled");
    expect(await contents(id)).toHaveLength(2);
  });

  it("gives the terminal back as it was, also if it is ended", async () => {
    const terminal = await open(["helper"]);
    await terminal.waitFor("helper>");
    terminal.signal("SIGTERM");
    expect(await within(10_000, terminal.exited)).toBe(143);
    expect(terminal.written()).toMatch(/\[\?2004h[^]*\[\?2004l[^]*\[\?25h/);
  });

  it("shows why there is no answer, and continues", async () => {
    const terminal = await open(["faulty"]);
    await terminal.waitFor("faulty>");
    terminal.write(`Hello${enter}`);
    await terminal.waitFor(/simulated_failure: This agent always fails\n\nfaulty>$/);
    const [answer] = answersOf(await calls.get(await leave(terminal)));
    expect(answer?.status).toBe("failed");
  });

  it("needs a terminal, but for one message", async () => {
    const { run } = await openUser();
    const settings = settingsOf(server());
    const refused = await run(["chat", "helper"], "", settings);
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toMatch(
      /^parley: a chat needs a terminal; send one message with --once/,
    );
    const once = await run(["chat", "helper", "--once", "Hello"], "", settings);
    expect([once.code, once.stdout]).toEqual([
      0,
      "You said: Hello\nI am a simulated agent, glad to help.\n",
    ]);
    const piped = await run(["chat", "helper", "--once", "--json"], "From a pipe\n", settings);
    expect(JSON.parse(piped.stdout)).toMatchObject({
      message: { content: "You said: From a pipe\nI am a simulated agent, glad to help." },
    });
    const { run: runAlone } = await openUser();
    const nowhere = await runAlone(["chat", "helper", "--once", "Hello"]);
    expect([nowhere.code, nowhere.stderr]).toEqual([
      1,
      expect.stringMatching(/^parley: No server/),
    ]);
  });

  it("shows reasoning if it is wanted", async () => {
    const script = { steps: [{ reasoning: "Hm, let me see.", text: "There." }], tokenDelayMs: 0 };
    await calls.createAgent("Thinking", script);
    const terminal = await open(["Thinking", "--reasoning"]);
    await terminal.waitFor("Thinking>");
    terminal.write(`Hello${enter}`);
    await terminal.waitFor(/Hm, let me see\.\n\nThere\.\n\nThinking>$/);
    expect(terminal.written()).toContain("\u001B[2mHm, let me see.");
    terminal.write(`/reasoning${enter}`);
    await terminal.waitFor("Reasoning is hidden");
    terminal.write(`Hello${enter}`);
    await terminal.waitFor(/Thinking> Hello\n\nThere\.\n\nThinking>$/);
    await leave(terminal);
  });

  it("completes commands and names", async () => {
    const terminal = await open(["helper"]);
    await terminal.waitFor("helper>");
    for (const [typed, completed] of [
      ["/rea\t", "/reasoning"],
      ["@slowp\t", "@slowpoke"],
    ] as const) {
      terminal.write(typed);
      expect(await terminal.waitFor(/helper> (?:\/reasoning|@slowpoke)$/)).toMatch(
        `helper> ${completed}`,
      );
      terminal.write(ctrlC);
      await terminal.waitFor(/\nhelper>$/);
    }
    await leave(terminal);
  });
});
