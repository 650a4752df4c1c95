import type { InvocationEvent, ListedRun, MessageEvent } from "@parley/schema";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, inject, it } from "vitest";
import { builtFile, endWithThisProcess } from "../programs.ts";
import { startFleet } from "../replicas/fleet.ts";
import { createPlace, eventually, type Program, shareServer } from "../server.ts";
import { approvingAgent } from "../client/approving-agent.ts";
import { createCalls } from "../siblings/calls.ts";
import { openUser, settingsOf } from "./user.ts";

describe("a terminal", () => {
  const server = shareServer();
  const calls = createCalls(server);
  const open = async () => {
    const { start, run } = await openUser();
    const settings = settingsOf(server());
    return {
      start: (args: readonly string[], input?: string) => start(args, input, settings),
      run: async (args: readonly string[], input?: string) => run(args, input, settings),
    };
  };
  const printed = async ({ output }: Program, text: string) =>
    eventually(async () => (output.stdout.includes(text) ? { value: true } : {}), 30_000);

  it("asks an agent, and continues the conversation", async () => {
    const { run } = await open();
    const asked = await run(["ask", "Hello", "--agent", "helper"]);
    const answer = (text: string) => `You said: ${text}\nI am a simulated agent, glad to help.`;
    expect([asked.code, asked.stdout]).toEqual([0, `${answer("Hello")}\n`]);
    const [, id = ""] = /parley ask --conversation (\S+)/.exec(asked.stderr) ?? [];
    const again = await run(["ask", "-", "--conversation", id, "--json"], "And again\n");
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({
      conversationId: id,
      message: { content: answer("And again"), status: "succeeded" },
    });
  });

  it("says why there is no answer", async () => {
    const { run } = await open();
    const cases: [args: string[], says: string][] = [
      [["Hello"], "Choose an agent with --agent: "],
      [["Hello", "--agent", "nobody"], 'No agent named "nobody". Available: '],
      [["Hello", "--agent", "faulty"], "simulated_failure: "],
      [["", "--agent", "helper"], "content"],
      [["Hello", "--conversation", "none"], "onversation"],
    ];
    for (const [args, says] of cases) {
      const { code, stderr } = await run(["ask", ...args]);
      expect([code, args], stderr).toEqual([1, args]);
      expect(stderr).toMatch(/^parley: [^\n]+\n$/);
      expect(stderr).toContain(says);
      expect(stderr).not.toContain("start the server");
    }
  });

  it("says that an answer has no text", async () => {
    const { run } = await open();
    const { agentConfiguration } = await calls.rpc().agents.create.mutate({
      wId: server().demo.workspaceId,
      name: "silent",
      description: "",
      instructions: "",
      model: { providerId: "simulated", modelId: "simulated-1" },
      script: { steps: [{ reasoning: "Hm" }], tokenDelayMs: 0 },
    });
    const asked = await run(["ask", "Hello", "--agent", agentConfiguration.sId]);
    expect([asked.code, asked.stdout]).toEqual([0, ""]);
    expect(asked.stderr).toContain("The answer is empty: the model wrote no text\n");
  });

  it("ends quietly if its output is read no further", async () => {
    const settings = settingsOf(server());
    const args = [builtFile("parley.js"), "ask", "Hello", "--agent", "slowpoke"];
    const child = spawn(process.execPath, args, { cwd: inject("build"), env: settings });
    endWithThisProcess(child);
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    child.stdout.once("data", () => child.stdout.destroy());
    const [code] = (await once(child, "close")) as [number];
    expect([code, errors]).toEqual([141, ""]);
  });

  it("cancels an answer with Ctrl-C", async () => {
    const { start } = await open();
    await calls.createAgent("Counting", {
      steps: [{ text: "one two three ".repeat(2000) }],
      tokenDelayMs: 50,
    });
    const program = start(["ask", "Count", "--agent", "Counting"]);
    await printed(program, "one two three");
    program.signal("SIGINT");
    expect(await program.exited).toBe(130);
    expect(program.output.stderr).toContain("parley: The answer was cancelled");
    // What was written has its end, so that what follows in a terminal begins a line.
    expect(program.output.stdout).toMatch(/\w ?\n$/);
  });

  it("follows answers and invocations to their end", async () => {
    const { run } = await open();
    const { conversation } = await calls.create("Hello", ["helper"], { blocking: true });
    const answer = conversation.content.at(-1)?.at(-1)?.sId ?? "";
    const { code, stdout } = await run(["tail", "message", conversation.sId, answer, "--json"]);
    expect(code).toBe(0);
    const events = stdout.trimEnd().split("\n");
    const types = events.map((line) => (JSON.parse(line) as MessageEvent).type);
    expect(types).toContain("generation_tokens");
    expect(types.at(-1)).toBe("agent_message_success");
    const invoked = await run([
      "functions",
      "invoke",
      "add",
      "--input",
      '{"a":1,"b":2}',
      "--no-wait",
    ]);
    const followed = await run(["tail", "invocation", "add", invoked.stdout.trim(), "--json"]);
    const last = followed.stdout.trimEnd().split("\n").at(-1) ?? "";
    expect(JSON.parse(last) as InvocationEvent).toMatchObject({ result: { sum: 3 } });
    const lines = await run(["tail", "invocation", "add", invoked.stdout.trim()]);
    expect(lines.stdout).toMatch(/^\d{4}-\S+Z created sfi_\w+\n[^]*Z succeeded \{"sum":3\}\n$/);
    const said = await run(["tail", "message", conversation.sId, answer]);
    expect(said.stdout).toMatch(/^\d{4}-\S+Z You said: [^]*Z answered\n$/);
    expect(said.stdout).not.toContain("{");
  });

  it("follows conversations and runs until it is left", async () => {
    const { start } = await open();
    const { conversation } = await calls.create("Hello", ["helper"], { blocking: true });
    const messages = start(["tail", "conversation", conversation.sId]);
    const runs = start(["tail", "runs", "--json"]);
    await printed(messages, "answered (");
    await printed(runs, '"kind":"turn"');
    const { conversation: second } = await calls.create("More", ["helper"], { blocking: true });
    await printed(runs, second.sId);
    for (const program of [messages, runs]) {
      program.signal("SIGINT");
      await program.exited;
    }
    expect(messages.output.stdout).toMatch(/^\S+Z demo admin \(\w+\): Hello\n/);
    expect(messages.output.stdout).toMatch(/^\S+Z helper begins to answer \(\w+\)\n/m);
    const listed = runs.output.stdout.trimEnd().split("\n");
    expect(listed.map((line) => (JSON.parse(line) as ListedRun).id).length).toBeGreaterThan(1);
  });

  it("says that an earlier answer of the conversation waits for a person", async () => {
    const { run } = await open();
    const agent = await approvingAgent(server());
    const first = await run(["ask", "Refund", "--agent", agent]);
    expect(first.code).toBe(3);
    const [, id = ""] = /--conversation (\w+)/.exec(first.stderr) ?? [];
    const second = await run(["ask", "And now?", "--conversation", id]);
    expect([second.code, second.stdout]).toEqual([3, ""]);
    expect(second.stderr).toContain(
      "An earlier answer in this conversation is waiting for your decision",
    );
  });

  it("shows the state of a server", async () => {
    const { run } = await open();
    const { code, stdout } = await run(["status"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^server {4}http\S+: ready\nversion {3}\S+\nkey {7}key demo admin, role admin/,
    );
    expect(stdout).toMatch(
      /^queue {5}\d+ queued.*, \d+ running\nstreams {3}\d+ open\nlast hour \d+ /m,
    );
    const shown = JSON.parse((await run(["status", "--json"])).stdout) as object;
    expect(shown).toMatchObject({ ready: { isReady: true }, session: { role: "admin" } });
  });
});

it("says that nothing answers if no worker runs", async () => {
  await using place = await createPlace();
  await using fleet = await startFleet(place, { apis: 1, workers: 0 }, {});
  const [api] = fleet.apis;
  const { start } = await openUser();
  const settings = { PARLEY_URL: api!.url, PARLEY_API_KEY: fleet.demo.adminKey };
  const asked = start(["ask", "Hello", "--agent", "helper"], "", settings);
  await eventually(
    async () => (/^waiting: .*worker/m.test(asked.output.stderr) ? { value: true } : {}),
    30_000,
  );
  asked.signal("SIGINT");
  expect(await asked.exited).toBe(130);
});
