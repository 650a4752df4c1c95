import type { MessageEvent } from "@parley/schema";
import { expect, it } from "vitest";
import { notesIn } from "./read-event.ts";

const of = { created: 0, configurationId: "ann", messageId: "m1", step: 0 };
const fallback = (passedOver: Extract<MessageEvent, { passedOver: unknown }>["passedOver"]) =>
  ({
    type: "agent_message_fallback",
    ...of,
    providerId: "openai",
    modelId: "gpt-5",
    passedOver,
  }) as const;

it("says in a line which model answers in another's place, and why", () => {
  const llama = { providerId: "custom", modelId: "llama" };
  const down = { ...llama, reason: "provider_unavailable" };
  const skipped = { ...llama, modelId: "qwen\n", reason: "circuit_open" };
  expect(notesIn(fallback([down, skipped]))).toEqual([
    "openai/gpt-5 answers instead (custom/llama: provider_unavailable, custom/qwen : circuit_open)",
  ]);
  expect(notesIn(fallback([]))).toEqual(["openai/gpt-5 answers instead"]);
});

it("says in a line each what the model was not given", () => {
  const note = { code: "file_type_not_taken", fileId: "fil_1", title: "a", message: "No\nimages" };
  expect(notesIn({ type: "agent_message_notes", ...of, notes: [note, note] })).toEqual([
    "No images",
    "No images",
  ]);
  expect(notesIn({ type: "agent_generation_cancelled", ...of })).toEqual([]);
});
