import { screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { actionOf, answerOf, approvalOf, questionOf } from "../../testing/models.ts";
import { show } from "../../testing/show.tsx";
import { talkOf } from "../../testing/talk.ts";
import { AgentAnswer } from "./agent-answer.tsx";
import { TalkContext } from "./talk-context.ts";

type Talk = ReturnType<typeof talkOf>;

const answer = (message = answerOf(), talk: Talk = talkOf(), waiting = {}) => (
  <TalkContext value={talk}>
    <AgentAnswer message={message} approvals={[]} questions={[]} {...waiting} />
  </TalkContext>
);

const article = () => screen.getByRole("article", { name: "Answer from Clerk" });
const again = () => screen.queryByRole<HTMLButtonElement>("button", { name: "Regenerate" });

const failed = { code: "provider_error", message: "The provider refused", metadata: null };

test("an answer that is being written is busy, and nothing can be done with it yet", async () => {
  await show(answer(answerOf({ status: "created" })));
  expect(article().getAttribute("aria-busy")).toBe("true");
  expect(article().textContent).toContain("Running");
  expect(again()).toBeNull();
});

test("an answer that has succeeded says nothing of its status", async () => {
  await show(answer());
  expect(article().getAttribute("aria-busy")).toBe("false");
  expect(article().textContent).not.toContain("Succeeded");
  expect(screen.queryByRole("note")).toBeNull();
  expect(again()).not.toBeNull();
});

test.for([
  ["length", /cut off at the model's token limit/],
  ["empty", /the model wrote no text/],
] as const)("an answer that ended by %s says what it lacks", async ([finishReason, words]) => {
  await show(answer(answerOf({ finishReason })));
  expect(screen.getByRole("note").textContent).toMatch(words);
});

test("an answer says what its model was not given", async () => {
  const message =
    '"cat.png" was not given to llama: the model does not take files of type image/png';
  const note = { code: "file_type_not_taken", fileId: "fil_1", title: "cat.png", message };
  await show(answer(answerOf({ notes: [note] })));
  expect(screen.getByRole("note", { name: "Not given to the model" }).textContent).toBe(message);
});

test("an answer lists what it refers to, and links only to pages", async () => {
  const of = { dataSourceId: "d", dataSourceName: "Handbook", documentId: "x", start: 0, end: 1 };
  const citations = [
    {
      ...of,
      reference: 1,
      title: "Hours",
      headings: ["Sunday"],
      sourceUrl: "https://example.com/h",
    },
    { ...of, reference: 2, title: "Shops", headings: [], sourceUrl: "javascript:alert(1)" },
  ];
  await show(answer(answerOf({ citations })));
  const list = screen.getByRole("region", { name: "References" });
  expect(list.textContent).toBe("References[1] Hours Sunday · Handbook[2] Shops Handbook");
  const links = screen.getAllByRole<HTMLAnchorElement>("link");
  expect(links.map(({ href, textContent }) => [href, textContent])).toEqual([
    ["https://example.com/h", "Hours"],
  ]);
});

test("an answer that was cancelled keeps its text, and says so", async () => {
  await show(answer(answerOf({ status: "cancelled", content: "tick tick" })));
  expect(article().textContent).toMatch(/Cancelled.*tick tick/);
});

test("a failed answer says why, and shows builders the provider's message", async () => {
  const message = answerOf({ status: "failed", error: failed });
  const providerError = { status: 404, message: "No such model", requestId: "req_7" };
  const answers = { "runs.get": () => ({ providerError }) };
  const { calls } = await show(answer(message), { answers });
  expect(screen.getByRole("alert").textContent).toBe("The provider refused (provider_error)");
  expect((await screen.findByRole("figure")).textContent).toMatch(/request req_7.*No such model/);
  expect(calls).toEqual([{ to: "runs.get", input: { wId: "wks_1", runId: "msg_1" } }]);
});

test("users do not see the provider's message", async () => {
  const message = answerOf({ status: "failed", error: failed });
  const { user, calls } = await show(answer(message), { session: { role: "user" } });
  expect(screen.getByRole("alert").textContent).toContain("provider_error");
  // A call would have been sent by then.
  await user.click(again()!);
  expect(calls).toEqual([]);
  expect(screen.queryByRole("figure")).toBeNull();
});

test("shows its steps in order, each with its calls, and the reasoning apart", async () => {
  const rawContents = [
    { step: 1, content: "It is refunded" },
    { step: 0, content: "I check" },
  ];
  const message = answerOf({ rawContents, actions: [actionOf()], chainOfThought: "An order" });
  await show(answer(message));
  expect(article().textContent).toMatch(/Reasoning.*An order.*I check.*refund.*It is refunded/s);
});

test("shows its waiting calls", async () => {
  const question = { ...questionOf(), actionId: "act_2" };
  const waiting = { approvals: [approvalOf()], questions: [question] };
  await show(answer(answerOf({ status: "created" }), talkOf(), waiting));
  expect(screen.getByRole("group", { name: "Approval of refund" })).toBeDefined();
  expect(screen.getByRole("group", { name: "Which size?" })).toBeDefined();
});

test("is regenerated once at a time", async () => {
  const retrying = Promise.withResolvers<boolean>();
  const retry = vi.fn<Talk["retry"]>(() => retrying.promise);
  const { user } = await show(answer(answerOf(), talkOf({ retry })));
  await user.click(again()!);
  expect(again()?.disabled).toBe(true);
  await user.click(again()!);
  expect(retry.mock.calls).toEqual([["msg_1"]]);
  retrying.resolve(true);
  await waitFor(() => expect(again()?.disabled).toBe(false));
});

test("cannot be regenerated with a token that may only read", async () => {
  await show(answer(), { session: { scopes: ["conversations:read"] } });
  expect(again()).toBeNull();
});

test("shows its versions, the newest first, and hides them", async () => {
  const versions = [answerOf({ content: "One" }), answerOf({ content: "Two", version: 1 })];
  const answers = {
    "conversations.get": () => ({ conversation: { content: [versions] } }),
  };
  const { user } = await show(answer(versions[1]), { answers });
  await user.click(screen.getByRole("button", { name: "Compare 2 versions" }));
  const items = (await screen.findByRole("list", { name: "Versions" })).children;
  expect([...items].map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Version 2.*Two$/),
    expect.stringMatching(/^Version 1.*One$/),
  ]);
  await user.click(screen.getByRole("button", { name: "Hide versions" }));
  expect(screen.queryByRole("list", { name: "Versions" })).toBeNull();
});
