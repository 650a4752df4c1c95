import { describe, expect, it } from "vitest";
import { eventually, shareServer } from "../server.ts";
import { answersOf, createCalls } from "../siblings/calls.ts";
import { openUser, settingsOf } from "./user.ts";

describe("what waits and what has ended, on the command line", () => {
  const server = shareServer();
  const calls = createCalls(server);

  async function open() {
    const { run } = await openUser();
    const settings = settingsOf(server());
    const parley = (...args: string[]) => run(args, "", settings);
    const succeed = async (...args: string[]) => {
      const { code, stdout, stderr } = await parley(...args);
      expect([code, args], stderr).toEqual([0, args]);
      return stdout;
    };
    const fail = async (...args: string[]) => {
      const { code, stdout, stderr } = await parley(...args);
      expect([stdout, args]).toEqual(["", args]);
      expect(code).not.toBe(0);
      return stderr;
    };
    return { parley, succeed, fail, settings, run };
  }

  /** Asks an agent that calls a function which needs approval; gives the waiting call. */
  async function askClerk(slug: string): Promise<{ cId: string; actionId: string }> {
    const { workspaceId: wId } = server().demo;
    await calls.rpc().sandboxFunctions.create.mutate({
      wId,
      slug,
      description: "Refunds an order",
      program: { type: "simulated", behaviour: { steps: [], result: "{'refunded': orderId}" } },
      requiresApproval: true,
    });
    const { agentConfiguration } = await calls.rpc().agents.create.mutate({
      wId,
      name: slug,
      description: "",
      model: { providerId: "simulated", modelId: "simulated-1" },
      functionIds: [slug],
      script: {
        steps: [
          { text: "", toolCalls: [{ name: slug, params: { orderId: "1042" } }] },
          { text: "Result: {{result}}" },
        ],
      },
    });
    const { conversation } = await calls.create("Refund it", [agentConfiguration.sId]);
    const actionId = await eventually(async () => {
      const { blockedActions } = await calls.rpc().actions.listBlocked.query({ wId });
      const call = blockedActions.find(({ metadata }) => metadata.toolName === slug);
      return call === undefined ? {} : { value: call.actionId };
    }, 10_000);
    return { cId: conversation.sId, actionId };
  }

  const contentOf = async (cId: string) =>
    eventually(async () => {
      const [answer] = answersOf(await calls.get(cId));
      return answer?.status === "succeeded" ? { value: answer.content ?? "" } : {};
    }, 10_000);

  it("lists calls that wait, approves one by its tool's name and rejects one by its id", async () => {
    const { succeed, fail } = await open();
    const first = await askClerk("refund-first");
    const second = await askClerk("refund-second");
    const list = await succeed("approvals", "list");
    expect(list).toMatch(
      /^act_\w+ +\S+ \S+ +approval +refund-first +refund-first +\{"orderId":"1042"\}/m,
    );
    expect(await succeed("approvals", "get", second.actionId)).toContain("content: Refund it");
    expect(await succeed("approvals", "approve", "refund-first")).toBe(
      `approved: refund-first (${first.actionId})\n`,
    );
    expect(await contentOf(first.cId)).toContain("1042");
    expect(await succeed("approvals", "reject", second.actionId)).toBe(
      `rejected: refund-second (${second.actionId})\n`,
    );
    expect(await contentOf(second.cId)).not.toContain("1042");
    // It has been decided.
    expect(await fail("approvals", "approve", second.actionId)).toContain(second.actionId);
    expect(await succeed("approvals", "list")).toBe("");
  });

  it("reruns an invocation and an answer, and refuses what has not ended or is unknown", async () => {
    const { succeed, fail } = await open();
    const { workspaceId: wId } = server().demo;
    const invoked = { wId, functionId: "add", input: { a: 1, b: 2 } };
    const { invocation } = await calls.rpc().sandboxFunctions.invoke.mutate(invoked);
    const again = /^started: (sfi_\w+)\n$/.exec(
      await succeed("runs", "rerun", invocation.sId),
    )![1]!;
    expect(again).not.toBe(invocation.sId);
    expect((await calls.rpc().runs.get.query({ wId, runId: again })).input).toEqual({ a: 1, b: 2 });
    const { conversation } = await calls.create("Hello", ["helper"], { blocking: true });
    const answer = answersOf(await calls.get(conversation.sId))[0]!;
    const regenerated = /^started: (\w+)\n$/.exec(await succeed("runs", "rerun", answer.sId))![1];
    expect(regenerated).not.toBe(answer.sId);
    expect(answersOf(await calls.get(conversation.sId))).toMatchObject([{ sId: regenerated }]);
    const waiting = await askClerk("refund-waiting");
    const { sId } = answersOf(await calls.get(waiting.cId))[0]!;
    expect(await fail("runs", "rerun", sId)).toContain(`cancel it with parley runs cancel ${sId}`);
    expect(await fail("runs", "rerun", "sfi_unknown")).toContain("no such run");
    await succeed("approvals", "reject", waiting.actionId);
  });

  it("refuses a key that may not do it, and says when no server is there", async () => {
    const { run, settings } = await open();
    const asUser = { ...settings, PARLEY_API_KEY: server().demo.userKey };
    const refused = await run(["runs", "tail"], "", asUser);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain("builder");
    const nowhere = { ...settings, PARLEY_URL: "http://127.0.0.1:1" };
    for (const words of [
      ["approvals", "list"],
      ["runs", "tail"],
      ["runs", "rerun", "sfi_x"],
    ]) {
      expect(await run(words, "", nowhere)).toMatchObject({ code: 1, stdout: "" });
    }
  });
});
