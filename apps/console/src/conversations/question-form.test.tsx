import { screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { questionOf } from "../../testing/models.ts";
import { show } from "../../testing/show.tsx";
import { talkOf } from "../../testing/talk.ts";
import { QuestionForm } from "./question-form.tsx";
import { TalkContext } from "./talk-context.ts";

type Talk = ReturnType<typeof talkOf>;

const submit = () => screen.getByRole<HTMLButtonElement>("button", { name: "Answer" });

const form = (answer: Talk["answer"], question = questionOf()) => (
  <TalkContext value={talkOf({ answer })}>
    <QuestionForm question={question} />
  </TalkContext>
);

const answering = () => vi.fn<Talk["answer"]>(async () => true);

test("sends the last chosen option, with the free answer", async () => {
  const answer = answering();
  const { user } = await show(form(answer));
  expect(screen.getByText("Over 44")).toBeDefined();
  expect(submit().disabled).toBe(true);
  await user.click(screen.getByRole("radio", { name: "Small" }));
  await user.click(screen.getByRole("radio", { name: /^Large/ }));
  await user.type(screen.getByRole("textbox", { name: "In your own words" }), "In red");
  await user.click(submit());
  await waitFor(() => expect(answer).toHaveBeenCalled());
  const given = { selectedOptions: [1], customResponse: "In red" };
  expect(answer.mock.calls).toEqual([[questionOf(), given]]);
});

test("sends several options in their order, without a deselected one", async () => {
  const answer = answering();
  const options = ["Red", "Green", "Blue"].map((label) => ({ label, description: null }));
  const { user } = await show(form(answer, questionOf({ options, multiSelect: true })));
  for (const name of ["Blue", "Green", "Red", "Green"]) {
    await user.click(screen.getByRole("checkbox", { name }));
  }
  await user.type(screen.getByRole("textbox", { name: "In your own words" }), " ");
  await user.click(submit());
  await waitFor(() => expect(answer).toHaveBeenCalled());
  expect(answer.mock.calls[0]?.[1]).toEqual({ selectedOptions: [0, 2] });
});

test("a question without options is answered with Enter, but not with only spaces", async () => {
  const answer = answering();
  const { user } = await show(form(answer, questionOf({ options: [] })));
  const field = screen.getByRole("textbox", { name: "Answer" });
  await user.type(field, "  {Enter}");
  expect(submit().disabled).toBe(true);
  expect(answer).not.toHaveBeenCalled();
  await user.type(field, "42{Enter}");
  await waitFor(() => expect(answer).toHaveBeenCalled());
  expect(answer.mock.calls[0]?.[1]).toEqual({ selectedOptions: [], customResponse: "  42" });
});

test("the choice stays when the answer is refused, and is sent once at a time", async () => {
  const sending = Promise.withResolvers<boolean>();
  const answer = vi.fn<Talk["answer"]>(() => sending.promise);
  const { user } = await show(form(answer));
  await user.click(screen.getByRole("radio", { name: "Small" }));
  await user.click(submit());
  await waitFor(() => expect(submit().disabled).toBe(true));
  await user.click(submit());
  expect(answer).toHaveBeenCalledOnce();
  sending.reject(new Error("It was answered meanwhile"));
  expect((await screen.findByRole("alert")).textContent).toContain("answered meanwhile");
  expect(screen.getByRole<HTMLInputElement>("radio", { name: "Small" }).checked).toBe(true);
  expect(submit().disabled).toBe(false);
});

test("cannot be answered with a token that may only read", async () => {
  const session = { scopes: ["conversations:read" as const] };
  const { user } = await show(form(answering()), { session });
  const small = screen.getByRole<HTMLInputElement>("radio", { name: "Small" });
  await user.click(small);
  expect(small.checked).toBe(false);
});
