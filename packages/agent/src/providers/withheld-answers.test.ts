import type { ModelService } from "@parley/schema";
import { expect, it, onTestFinished } from "vitest";
import { ask, createStart, limits, secret, textOf, wires } from "../../testing/called-service.ts";
import { startFakeService } from "../../testing/fake-service.ts";
import { createServiceProvider } from "./service-provider.ts";

const start = createStart(onTestFinished);

it.each(wires)(
  "a call of %s says that the answer was withheld, and is not retried",
  async (id, modelId) => {
    const withhold = (frame: string) =>
      frame
        .replace('"finish_reason":"stop"', '"finish_reason":"content_filter"')
        .replace('"end_turn"', '"refusal"')
        .replace('"STOP"', '"SAFETY"')
        .replaceAll("response.completed", "response.incomplete")
        .replace(
          /"status":"completed","usage"/,
          '"status":"incomplete","incomplete_details":{"reason":"content_filter"},"usage"',
        );
    for (const text of ["All is well, and has been for long", ""]) {
      const { service, provider } = await start(id);
      service.script.steps = [{ text }];
      service.faults.push({ kind: "rewritten", rewrite: withhold });
      const parts = await Array.fromAsync(provider.streamStep(ask({ modelId })));
      expect(textOf(parts)).toBe(text);
      expect(parts.slice(-2)).toEqual([
        { type: "finish", reason: "content_filter" },
        expect.objectContaining({ type: "error", code: "content_filtered" }),
      ]);
      expect(parts).toContainEqual({ type: "usage", inputTokens: 11, outputTokens: 7 });
      expect(service.requests).toHaveLength(1);
    }
  },
);

/** Answers that were withheld in a form of one service alone. */
const withheld: [ModelService, string, string, (frame: string) => string][] = [
  [
    "mistral",
    "a finish reason",
    "mistral-small-latest",
    (frame) => frame.replace('"finish_reason":"stop"', '"finish_reason":"content_filter"'),
  ],
  [
    "google_ai_studio",
    "a prompt that was blocked",
    "gemini-2.5-flash",
    (frame) =>
      frame.replace(
        /"candidates":\[.*?\],"usage/,
        '"promptFeedback":{"blockReason":"SAFETY"},"usage',
      ),
  ],
];

it.each(withheld)(
  "a call of %s says that an answer was withheld by %s",
  async (id, _by, modelId, rewrite) => {
    const service = await startFakeService();
    onTestFinished(service.close);
    service.faults.push({ kind: "rewritten", rewrite });
    const baseUrl = `${service.url}/${id === "mistral" ? "mistral/" : ""}v1`;
    const provider = createServiceProvider(id, { apiKey: secret, baseUrl }, limits);
    const parts = await Array.fromAsync(provider.streamStep(ask({ modelId })));
    expect(parts.slice(-2)).toEqual([
      { type: "finish", reason: "content_filter" },
      expect.objectContaining({ type: "error", code: "content_filtered" }),
    ]);
    expect(service.requests).toHaveLength(1);
  },
);
