import { createServiceProvider, type StepRequest, textParts } from "@parley/agent";
import { startFakeService } from "@parley/agent/testing";
import { amountOf, toDecimal } from "@parley/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Invoice, invoices } from "./invoices.ts";

// What services report of a call, as their own pages have it, from their streams to money. A kind of token that is
// counted twice, or not at all, or at the price of another one, gives another sum than the one by hand.

const request = (modelId: string): StepRequest => ({
  modelId,
  temperature: 1,
  prompt: [{ role: "user", parts: textParts("Hi") }],
  tools: [],
  finishedSteps: [],
  finishedCalls: [],
  step: 0,
  script: null,
  prefix: { text: "", reasoning: "" },
  signal: new AbortController().signal,
});

/** Puts usage of an example in place of what a frame reports. */
const withUsage = (frame: string, { usage, first = usage }: Invoice) =>
  frame.replace(
    /"(usage(?:Metadata)?)":\{(?:[^{}]|\{[^{}]*\})*\}/,
    (_, name: string) =>
      `"${name}":${JSON.stringify(frame.includes('"message_start"') ? first : usage)}`,
  );

describe("the usage that a service reports", () => {
  it.each(invoices)("is billed as its page says: $service, $amount ($page)", async (invoice) => {
    const { service: id, modelId, price } = invoice;
    const service = await startFakeService();
    onTestFinished(service.close);
    service.faults.push({ kind: "rewritten", rewrite: (frame) => withUsage(frame, invoice) });
    const provider = createServiceProvider(id, {
      apiKey: "sk-fake",
      baseUrl: `${service.url}/${id}/v1`,
    });
    const parts = await Array.fromAsync(provider.streamStep(request(modelId)));
    const counted = parts.filter(({ type }) => type === "usage" || type === "unreadable_usage");
    expect(counted).toEqual([{ type: "usage", ...invoice.read }]);
    expect(toDecimal(amountOf(invoice.read, price)!)).toBe(invoice.amount);
  });
});
