import { expect, it } from "vitest";
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

it("announces notes once, with the first step that is written", () => {
  const announcer = announceNotes(about, null, [cat]);
  const event = { type: "agent_message_notes", created: 7, configurationId: "helper" };
  expect(announcer.notes).toEqual([cat]);
  expect(announcer.events(2)).toEqual([{ ...event, messageId: "m1", step: 2, notes: [cat] }]);
  announcer.announced();
  expect(announcer.events(3)).toEqual([]);
  expect(announcer.notes).toEqual([cat]);
});

it("announces only what no earlier attempt has written", () => {
  const announcer = announceNotes(about, [cat], [cat, dog]);
  expect(announcer.notes).toEqual([cat, dog]);
  expect(announcer.events(1)).toMatchObject([{ notes: [dog] }]);
  const again = announceNotes(about, [cat], [cat]);
  expect([again.notes, again.events(1)]).toEqual([[cat], []]);
  expect(announceNotes(about, null, []).notes).toBeUndefined();
});
