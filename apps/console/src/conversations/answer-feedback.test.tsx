import { screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { answerOf } from "../../testing/models.ts";
import { show } from "../../testing/show.tsx";
import { talkOf } from "../../testing/talk.ts";
import { type Answers, inputsOf, refuse, Refusal } from "../../testing/answer-calls.ts";
import { AgentAnswer } from "./agent-answer.tsx";
import { FeedbackContext, useFeedbackOf } from "./feedback-context.ts";
import { TalkContext } from "./talk-context.ts";

const GIVE = "POST /assistant/conversations/con_1/messages/msg_1/feedbacks";
const WITHDRAW = "DELETE /assistant/conversations/con_1/messages/msg_1/feedbacks";

interface Rating {
  readonly thumbDirection: "up" | "down";
  readonly feedbackContent?: string;
}

function Answer() {
  return (
    <TalkContext value={talkOf()}>
      <FeedbackContext value={useFeedbackOf("con_1")}>
        <AgentAnswer message={answerOf({ content: "**Done**" })} approvals={[]} questions={[]} />
      </FeedbackContext>
    </TalkContext>
  );
}

/** A server that remembers the reader's rating, beside two of others. */
function rated(): Answers {
  let own: object[] = [];
  const others = ["up", "down"].map((thumbDirection) => ({ messageId: "msg_1", thumbDirection }));
  const page = { hasMore: false, lastValue: null };
  return {
    "feedbacks.listOwn": () => ({ feedbacks: own, ...page }),
    "feedbacks.list": () => ({ feedbacks: [...others, ...own], ...page }),
    [GIVE]: ({ thumbDirection, feedbackContent }: Rating) => {
      own = [{ messageId: "msg_1", thumbDirection, content: feedbackContent ?? null }];
      return { success: true };
    },
    [WITHDRAW]: () => {
      own = [];
      return { success: true };
    },
  };
}

const button = (name: RegExp) => screen.getByRole<HTMLButtonElement>("button", { name });

test("an answer is rated and commented on, and the rating is withdrawn", async () => {
  const { user, calls } = await show(<Answer />, { answers: rated() });
  await screen.findByRole("button", { name: "Good (1)" });
  await user.click(button(/^Good/));
  await screen.findByRole("button", { name: "Good (2)", pressed: true });
  await user.click(button(/^Add comment/));
  await user.type(screen.getByRole("textbox", { name: "Comment" }), "To the point");
  await user.click(button(/^Send/));
  await screen.findByText("To the point");
  await user.click(button(/^Good/));
  await screen.findByRole("button", { name: "Good (1)", pressed: false });
  expect(screen.queryByText("To the point")).toBeNull();
  expect(inputsOf(calls, GIVE)).toEqual([
    { thumbDirection: "up" },
    { thumbDirection: "up", feedbackContent: "To the point" },
  ]);
  expect(inputsOf(calls, WITHDRAW)).toHaveLength(1);
});

test("a rating is shown before it is stored, and taken back if that is refused", async () => {
  const storing = Promise.withResolvers<unknown>();
  const answers = { ...rated(), [GIVE]: () => storing.promise };
  const { user } = await show(<Answer />, { answers });
  await user.click(button(/^Bad/));
  await screen.findByRole("button", { name: /^Bad/, pressed: true });
  storing.reject(new Refusal("Not now"));
  await screen.findByRole("button", { name: /^Bad/, pressed: false });
  expect((await screen.findByRole("alert")).textContent).toContain("Not now");
});

test("users see only their own rating, and no counts", async () => {
  const { user, calls } = await show(<Answer />, { session: { role: "user" }, answers: rated() });
  await user.click(button(/^Bad/));
  await screen.findByRole("button", { name: "Bad", pressed: true });
  expect(inputsOf(calls, "feedbacks.list")).toEqual([]);
});

test("a rating that was refused is said to be", async () => {
  const answers = { ...rated(), [GIVE]: refuse("No such message") };
  const { user } = await show(<Answer />, { answers });
  await user.click(button(/^Good/));
  expect((await screen.findByRole("alert")).textContent).toContain("No such message");
});

test("a token that may only read rates nothing", async () => {
  await show(<Answer />, {
    session: { role: "user", scopes: ["conversations:read"] },
    answers: rated(),
  });
  const article = screen.getByRole("article");
  expect(within(article).queryByRole("button", { name: /Good/ })).toBeNull();
});

test("an answer is copied with its Markdown", async () => {
  const { user } = await show(<Answer />, { answers: rated() });
  const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  await user.click(button(/^Copy/));
  await waitFor(() => expect(write).toHaveBeenCalledWith("**Done**"));
});
