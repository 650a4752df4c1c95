import { expect, test } from "vitest";
import { mentionOf } from "../siblings/calls.ts";
import { shareAnsweringServer } from "./answering-server.ts";

// What answers cost, from the counts of a service to those who may read it.

const { agentOf, ask, calls, rpc, wId } = shareAnsweringServer();

test("builders and admins read what answers cost, and which calls had no price; users do not", async () => {
  const { cId } = await ask([agentOf("openai"), agentOf("openai_compatible")]);
  const consumption = await rpc().conversations.getConsumption.query({ wId: wId(), cId });
  // 11 tokens at 1.25 and 7 at 10 dollars for a million.
  const priced = { amount: "0.00008375", currency: "USD", unpricedCalls: 0 };
  const unpriced = { amount: "0", currency: "USD", unpricedCalls: 1 };
  expect(consumption.total.cost).toEqual({ ...priced, unpricedCalls: 1 });
  expect(consumption.models.map(({ modelId, cost }) => [modelId, cost])).toEqual([
    ["gpt-5", priced],
    ["my/own-model", unpriced],
  ]);
  expect(consumption.messages.map(({ cost }) => cost)).toEqual([priced, unpriced]);
  const { secret: key } = await rpc().apiKeys.create.mutate({
    wId: wId(),
    name: "user",
    role: "user",
  });
  const message = { content: "Which city?", mentions: mentionOf(agentOf("openai")) };
  const created = await calls.call("POST", "", { key, json: { message, blocking: true } });
  const own = (JSON.parse(created.text) as { conversation: { sId: string } }).conversation.sId;
  const asUser = await calls.call("GET", `/${own}/consumption`, { key });
  expect(asUser.text).toContain('"inputTokens":11');
  expect(asUser.text).not.toContain("cost");
});
