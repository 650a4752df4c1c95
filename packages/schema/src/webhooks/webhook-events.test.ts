import { expect, expectTypeOf, it } from "vitest";
import {
  webhookEventNames,
  webhookEvents,
  webhookPayload,
  type WebhookPayload,
  webhookSample,
} from "./webhook-events.ts";
import { webhookSummaries } from "./webhook-summaries.ts";

it("each event has a summary, and a sample that its payload takes", () => {
  expect(webhookEventNames).toEqual(Object.keys(webhookSummaries));
  for (const type of webhookEventNames) {
    expect(webhookEvents[type].summary).toBe(webhookSummaries[type]);
    const data = { workspaceId: "Ab3dE5fG7h", ...webhookSample(type), isSample: true };
    const payload = { type, timestamp: "2026-11-28T09:30:00.000Z", version: 1, data };
    expect(webhookPayload(type).parse(payload)).toEqual(payload);
  }
});

it("the type of a payload says what its data is", () => {
  const readId = (payload: WebhookPayload): string =>
    payload.type === "invocation.failed" ? payload.data.invocationId : payload.data.workspaceId;
  expectTypeOf<WebhookPayload["type"]>().toEqualTypeOf<keyof typeof webhookSummaries>();
  expectTypeOf<WebhookPayload<"approval.requested">["data"]["actionId"]>().toEqualTypeOf<string>();
  expectTypeOf<WebhookPayload<"budget.reached">["data"]["budgets"]>().toExtend<readonly object[]>();
  const data = { workspaceId: "wks_1", invocationId: "sfi_1", functionId: "sfn_1" };
  const failed = { timestamp: "", version: 1, data } as const;
  expect(readId({ type: "invocation.failed", ...failed })).toBe("sfi_1");
});
