import { describe, expect, it } from "vitest";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { eventually, shareServer, within } from "../server.ts";
import { createListener, headersOf } from "../webhooks/listen.ts";
import { startReceiver } from "../webhooks/receiver.ts";
import { openUser, settingsOf } from "./user.ts";

interface Listed {
  readonly sId: string;
  readonly [member: string]: unknown;
}

describe("webhooks on the command line", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const { calls, ask, listen, rpc } = createListener(server);
  const open = async () => {
    const { run } = await openUser();
    const settings = settingsOf(server());
    const succeed = async (args: string) => {
      const { code, stdout, stderr } = await run(["webhooks", ...args.split(" ")], "", settings);
      expect([code, args], stderr).toEqual([0, args]);
      return stdout;
    };
    const fail = async (args: string) => {
      const { code, stdout, stderr } = await run(["webhooks", ...args.split(" ")], "", settings);
      expect([stdout, args]).toEqual(["", args]);
      return { code, said: stderr };
    };
    const read = async <T>(args: string) => JSON.parse(await succeed(`${args} --json`)) as T;
    return { run, settings, succeed, fail, read };
  };
  const url = "https://shop.example/parley-events";

  it("are created with a secret that is printed once, changed and removed", async () => {
    const { run, settings, succeed, fail, read } = await open();
    const agentId = await calls.createAgent("Clerk", { steps: [{ text: "x" }], tokenDelayMs: 0 });
    const args = ["webhooks", "create", url, "--event", "message.failed", "--agent-id", "Clerk"];
    const made = await run(args, "", settings);
    expect(made.stdout).toMatch(/^whsec_\S+\n$/);
    expect(made.stderr).toMatch(/^created: webhook https:\S+ \(whk_\w+\); its secret is shown /);
    const { webhook } = await read<{ webhook: Listed }>(`get ${url}`);
    expect(webhook).toMatchObject({ url, events: ["message.failed"], agentIds: [agentId] });
    const list = await succeed("list");
    expect(list).toMatch(/^whk_\w+ +https:\/\/shop\S+ +message\.failed +on$/m);
    expect(list).not.toContain("whsec_");
    const changes = "--event question.asked --event message.failed --is-ordered";
    expect(await succeed(`update ${url} ${changes} --new-url ${url}/2`)).toMatch(
      /^updated: webhook https:\/\/shop\.example\/parley-events\/2 \(whk_/,
    );
    expect(await read(`get ${webhook.sId}`)).toMatchObject({
      webhook: {
        url: `${url}/2`,
        events: ["question.asked", "message.failed"],
        isOrdered: true,
        agentIds: [agentId],
      },
    });
    const cleared = ["webhooks", "update", webhook.sId, "--agent-id", ""];
    expect(await run(cleared, "", settings)).toMatchObject({ code: 0 });
    expect(await read(`get ${webhook.sId}`)).toMatchObject({ webhook: { agentIds: null } });
    const noEvent = ["webhooks", "update", webhook.sId, "--event", ""];
    expect((await run(noEvent, "", settings)).stderr).toMatch(/^parley: events: /);
    expect(await fail(`update ${webhook.sId} --event message.lost`)).toEqual({
      code: 2,
      said: expect.stringMatching(/'message\.lost' is invalid.*Allowed choices are .*message/),
    });
    const rotated = await succeed(`rotate ${webhook.sId} --overlap-seconds 0 --yes`);
    expect(rotated).toMatch(/^whsec_\S+\n$/);
    expect(rotated).not.toBe(made.stdout);
    expect((await fail(`remove ${webhook.sId}`)).said).toMatch(
      /This would remove the webhook .* --yes/,
    );
    expect(await succeed(`remove ${webhook.sId} --yes`)).toMatch(/^removed: webhook https:/);
    expect((await fail(`get ${webhook.sId}`)).said).toMatch(/see parley webhooks list/);
  });

  it("are listened to from this machine, which no server reaches", async () => {
    const { start } = await openUser();
    let status = 200;
    const receiver = await startReceiver((response) => void response.writeHead(status).end("so"));
    await using _ = { [Symbol.asyncDispose]: receiver.close };
    const args = ["webhooks", "listen", "--forward", receiver.url, "--event", "message.succeeded"];
    const listening = start(args, "", settingsOf(server()));
    const secret = await eventually(async () => {
      const [, found] = /^(whsec_\S+)$/m.exec(listening.output.stdout) ?? [];
      return found === undefined ? {} : { value: found };
    }, 20_000);
    const { wId } = { wId: server().demo.workspaceId };
    const webhooks = async () =>
      (await rpc().list.query({ wId })).webhooks.filter(({ isPulled }) => isPulled);
    const [webhook] = await webhooks();
    const conversationId = await ask();
    const [first] = await receiver.until(1);
    new StandardWebhook(secret).verify(first!.body, headersOf(first!));
    expect(first!.json).toMatchObject({ type: "message.succeeded", data: { conversationId } });
    status = 500;
    await ask();
    await receiver.until(2);
    const named = { wId, webhookId: webhook!.sId };
    const ended = await eventually(async () => {
      const { deliveries } = await rpc().listDeliveries.query(named);
      return deliveries.every(({ finishedAt }) => finishedAt !== null) ? { value: deliveries } : {};
    }, 10_000);
    expect(ended).toMatchObject([
      { status: "failed", attempts: [{ status: 500, error: "It answered 500" }] },
      { status: "succeeded", attempts: [{ status: 200, error: null }], responseBody: "so" },
    ]);
    expect(listening.output.stdout).toMatch(/^\S+Z message\.succeeded whd_\w+ 500 \d+ ms$/m);
    listening.signal("SIGINT");
    expect(await within(10_000, listening.exited), listening.output.stderr).toBe(0);
    expect(await webhooks()).toEqual([]);
  });

  it("show how they are: on, off by hand, off by the server, or failing", async () => {
    const { succeed } = await open();
    let status = 204;
    const { named, tried } = await listen(
      ["message.succeeded"],
      {},
      (response) => void response.writeHead(status).end(),
    );
    const stateOf = async () => {
      const lines = (await succeed("list")).split("\n");
      return /message\.succeeded +(.*)$/.exec(
        lines.find((line) => line.startsWith(named.webhookId)) ?? "",
      )?.[1];
    };
    expect(await stateOf()).toBe("on");
    expect(await succeed(`disable ${named.webhookId}`)).toMatch(/^disabled: webhook http/);
    expect(await stateOf()).toBe("off");
    expect(await succeed(`enable ${named.webhookId}`)).toMatch(/^enabled: webhook http/);
    expect(await stateOf()).toBe("on");
    status = 500;
    await ask();
    await tried(1);
    expect(await stateOf()).toMatch(/^failing since \d{4}-\d\d-\d\d \d\d:\d\d$/);
    status = 410;
    await ask();
    await expect.poll(stateOf).toBe("off: gone");
  });

  it("show their deliveries, and send them again", async () => {
    const { succeed, fail, read } = await open();
    const before = new Date(Date.now() - 1000).toISOString();
    const conversationId = await ask();
    const { receiver, named, tried } = await listen(["message.succeeded"]);
    const { webhookId } = named;
    expect(await succeed(`test ${receiver.url} --event approval.requested`)).toMatch(
      /^queued a sample: webhook http/,
    );
    await tried(1);
    const first = await succeed(`deliveries ${webhookId}`);
    expect(first).toMatch(/^whd_\w+ +approval\.requested +succeeded +1 +204 +\d{4}-/m);
    expect(await read(`replay ${webhookId} --from ${before}`)).toEqual({
      queued: (await tried(2)).length - 1,
    });
    const { deliveries } = await read<{ deliveries: readonly Listed[] }>(
      `deliveries list ${webhookId} --status succeeded --event message.succeeded`,
    );
    const newest = deliveries.find(
      ({ data }) => (data as Listed)["conversationId"] === conversationId,
    );
    expect(newest).toMatchObject({ event: "message.succeeded", status: "succeeded" });
    const id = newest?.sId ?? "";
    expect(await succeed(`deliveries get ${receiver.url} ${id}`)).toMatch(/^ +status: 204$/m);
    expect((await fail(`deliveries get ${webhookId} whd_none`)).said).toBe(
      `parley: The webhook has no delivery whd_none; see parley webhooks deliveries ${webhookId}\n`,
    );
    const received = receiver.received.length;
    expect(await succeed(`redeliver ${webhookId} --delivery-id ${id}`)).toMatch(
      /^queued 1 delivery: webhook http/,
    );
    const all = await receiver.until(received + 1);
    expect(all.at(-1)?.headers["webhook-id"]).toBe(id);
    expect(await succeed(`redeliver ${webhookId}`)).toMatch(/^queued 0 deliveries: webhook /);
    await rpc().update.mutate({ ...named, version: 0, isEnabled: false });
    expect((await fail(`redeliver ${webhookId}`)).said).toMatch(/switched off: switch it on/);
  });
});
