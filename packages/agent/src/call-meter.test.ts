import { expect, it } from "vitest";
import { ask } from "../testing/called-service.ts";
import { meterCall } from "./call-meter.ts";
import type { MeteredCall, StepPart, StepRequest } from "./provider.ts";

const cut = { code: "budget_exceeded", message: "The budget is used up" };

/** Streams a call that is cut off at its limit of tokens; gives that limit, and the errors. */
async function callCutOff(ofMeter: number | undefined, ofRequest: number | undefined) {
  const nothing = () => {};
  const call: MeteredCall = {
    maxOutputTokens: ofMeter,
    cut: ofMeter === undefined ? undefined : cut,
    sent: nothing,
    used: nothing,
    simulated: nothing,
    refused: nothing,
    end: nothing,
  };
  const meter = { begin: async () => call };
  let sent: number | undefined;
  async function* send({ maxOutputTokens }: StepRequest): AsyncGenerator<StepPart> {
    sent = maxOutputTokens;
    yield { type: "finish", reason: "length" };
  }
  const request = ask({ meter, maxOutputTokens: ofRequest });
  const parts = await Array.fromAsync(meterCall("openai", request, send));
  return { sent, isError: parts.some(({ type }) => type === "error") };
}

it.each([
  { ofMeter: undefined, ofRequest: undefined, sent: undefined, isError: false },
  { ofMeter: undefined, ofRequest: 50, sent: 50, isError: false },
  { ofMeter: 100, ofRequest: undefined, sent: 100, isError: true },
  { ofMeter: 100, ofRequest: 50, sent: 50, isError: false },
  { ofMeter: 100, ofRequest: 200, sent: 100, isError: true },
])(
  "a call with $ofMeter tokens of its budget and $ofRequest of its message is cut off at $sent",
  async ({ ofMeter, ofRequest, sent, isError }) => {
    expect(await callCutOff(ofMeter, ofRequest)).toEqual({ sent, isError });
  },
);
