import type { MessageEvent } from "@parley/schema";
import { expect, it } from "vitest";
import { notesIn, referencesOf } from "./read-event.ts";

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

it("names what an answer refers to by number, title, place and link", () => {
  const shared = {
    dataSourceId: "d",
    dataSourceName: "Handbook",
    documentId: "x",
    start: 0,
    end: 1,
  };
  const citations = [
    {
      ...shared,
      reference: 1,
      title: "Hours\u{1b}",
      headings: ["Hours\u{1b}", "Sunday"],
      sourceUrl: null,
    },
    { ...shared, reference: 2, title: "Shops", headings: [], sourceUrl: "https://example.com" },
  ];
  expect(referencesOf({ citations })).toEqual([
    "[1] Hours > Sunday (Handbook)",
    "[2] Shops (Handbook) https://example.com",
  ]);
  expect(referencesOf({})).toEqual([]);
});
