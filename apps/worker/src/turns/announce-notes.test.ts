import { expect, it } from "vitest";
import type { PromptNote } from "@parley/core";
import { announceNotes } from "./announce-notes.ts";

const about = { configurationId: "helper", messageId: "m1", now: () => 7 };
const note = (fileId: string) => ({
  code: "file_type_not_taken",
  fileId,
  title: "cat.png",
  message: `${fileId} was not given`,
});
const cat = note("fil_cat");
const dog = note("fil_dog");

const announce = (stored: readonly PromptNote[] | null, found: readonly PromptNote[]) => {
  const announcer = announceNotes(about, stored);
  announcer.add(found);
  return announcer;
};

it("announces notes once, with the first step that is written", () => {
  const announcer = announce(null, [cat]);
  const event = { type: "agent_message_notes", created: 7, configurationId: "helper" };
  expect(announcer.notes).toEqual([cat]);
  expect(announcer.events(2)).toEqual([{ ...event, messageId: "m1", step: 2, notes: [cat] }]);
  announcer.announced();
  expect(announcer.events(3)).toEqual([]);
  expect(announcer.notes).toEqual([cat]);
});

it("announces only what no earlier attempt has written", () => {
  const announcer = announce([cat], [cat, dog]);
  expect(announcer.notes).toEqual([cat, dog]);
  expect(announcer.events(1)).toMatchObject([{ notes: [dog] }]);
  const again = announce([cat], [cat]);
  expect([again.notes, again.events(1)]).toEqual([[cat], []]);
  expect(announce(null, []).notes).toBeUndefined();
});
