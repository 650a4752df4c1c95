import { openMemoryIo } from "@parley/command/testing";
import { expect, test } from "vitest";
import { renderTranscript } from "./transcript.ts";

type Conversation = Parameters<typeof renderTranscript>[1];
type Message = Conversation["content"][number][number];

const created = Date.UTC(2026, 10, 28, 9, 5);
const common = { created, version: 0, visibility: "visible" };

const user = (content: string, more: object = {}): Message =>
  ({
    ...common,
    type: "user_message",
    sId: "msg1",
    user: { fullName: "Ada" },
    content,
    ...more,
  }) as unknown as Message;

const answer = (content: string, more: object = {}): Message =>
  ({
    ...common,
    type: "agent_message",
    sId: "msg2",
    configuration: { name: "Clerk" },
    actions: [],
    status: "succeeded",
    error: null,
    content,
    ...more,
  }) as unknown as Message;

const transcript = (...content: Message[][]): string[] =>
  renderTranscript(openMemoryIo().io, { sId: "cnv1", title: "Refund", content } as Conversation);

test("a transcript has who said what and when, the newest version of each message", () => {
  const edited = user("Hello\n\nThere", { version: 1 });
  expect(transcript([user("Helo"), edited], [answer("Hi.\n")])).toEqual([
    "Refund (cnv1)",
    "",
    "Ada  2026-11-28 09:05  msg1, version 2",
    "  Hello",
    "",
    "  There",
    "",
    "Clerk  2026-11-28 09:05  msg2",
    "  Hi.",
  ]);
});

test("calls, files, sources and notes have a line each, and what failed says why", () => {
  const action = {
    functionCallName: "refund",
    params: { orderId: "1042" },
    status: "succeeded",
    executionDurationMs: 12,
    generatedFiles: [{ title: "slip.pdf", fileId: "fil_1", filePath: "conversation/slip.pdf" }],
  };
  const citation = {
    reference: 1,
    title: "Returns",
    headings: ["Returns", "Refunds"],
    dataSourceName: "Handbook",
    sourceUrl: "https://example.com/returns",
  };
  const fragment = {
    ...common,
    type: "content_fragment",
    sId: "msg0",
    title: "photo.png",
    contentType: "image/png",
    context: { username: "ada" },
  } as unknown as Message;
  const full = answer("Done [1]", {
    actions: [action],
    citations: [citation],
    notes: [{ message: '"photo.png" was not given' }],
    status: "failed",
    error: { code: "provider_unavailable", message: "The model\nis gone", metadata: null },
  });
  expect(transcript([fragment], [full]).filter((line) => line.startsWith("  "))).toEqual([
    "  attached photo.png (image/png)",
    '  called refund {"orderId":"1042"}: succeeded in 12 ms',
    "  wrote slip.pdf (fil_1)",
    "  Done [1]",
    "  [1] Returns > Refunds (Handbook) https://example.com/returns",
    '  "photo.png" was not given',
    "  failed: provider_unavailable: The model is gone",
  ]);
  const open = answer("", { status: "created", error: null });
  expect(transcript([open]).at(-1)).toBe("  not ended yet");
  const gone = user("secret", { visibility: "deleted" });
  expect(transcript([gone]).at(-1)).toBe("  deleted");
});

test("long texts and parameters are cut, with how to see the rest", () => {
  const long = "x".repeat(5000);
  const action = {
    functionCallName: "save",
    params: { text: long },
    status: "errored",
    executionDurationMs: null,
    generatedFiles: [],
  };
  const lines = transcript(
    [user(`${long}\n${"line\n".repeat(1000)}`)],
    [answer("", { actions: [action] })],
  );
  expect(lines).toHaveLength(1 + 2 + 201 + 2 + 1);
  expect(lines[3]).toBe(`  ${"x".repeat(2000)}… (--json prints all)`);
  expect(lines).toContain("  … 801 more lines; --json prints all");
  expect(lines.at(-1)).toMatch(
    /^ {2}called save \{"text":"x{191}… \(--json prints all\): errored$/,
  );
});

test("nothing that others wrote moves the cursor of the terminal", () => {
  const escape = "\u001B[2J";
  const shown = transcript(
    [user(`a${escape}b`, { user: { fullName: `Ada${escape}` } })],
    [
      answer("", {
        configuration: { name: `Clerk${escape}` },
        status: "failed",
        error: { code: escape, message: escape },
      }),
    ],
  );
  expect(shown.join("\n")).not.toContain("\u001B");
});
