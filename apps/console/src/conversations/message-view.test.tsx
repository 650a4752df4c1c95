import { screen } from "@testing-library/react";
import type { UserMessage } from "parley-client";
import { expect, test, vi } from "vitest";
import { show } from "../../testing/show.tsx";
import { talkOf } from "../../testing/talk.ts";
import { MessageView } from "./message-view.tsx";
import { type EditMessage, TalkContext } from "./talk-context.ts";

const message = {
  type: "user_message",
  sId: "msg_0",
  content: "Refund 1042",
  created: 0,
  mentions: [{ configurationId: "clerk" }],
  context: { username: "ada", timezone: "UTC" },
} as unknown as UserMessage;

const answers = { "agents.list": () => ({ agentConfigurations: [] }) };
const view = (edit?: EditMessage) => (
  <TalkContext value={talkOf(edit === undefined ? {} : { edit })}>
    <ul>
      <MessageView message={message} approvals={[]} questions={[]} />
    </ul>
  </TalkContext>
);

test("a message is edited in place, for the same agents", async () => {
  const edit = vi.fn<EditMessage>(async () => {});
  const { user } = await show(view(edit), { answers });
  await user.click(screen.getByRole("button", { name: "Edit" }));
  const field = screen.getByRole("textbox", { name: "Message" });
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Send" }).disabled).toBe(true);
  await user.type(field, "3");
  await user.click(screen.getByRole("button", { name: "Send" }));
  await screen.findByRole("button", { name: "Edit" });
  expect(edit.mock.calls).toEqual([[message, "Refund 10423"]]);
});

test("an edit that was refused stays in the form, with the reason", async () => {
  const edit = async () => Promise.reject(new Error("The conversation is full"));
  const { user } = await show(view(edit), { answers });
  await user.click(screen.getByRole("button", { name: "Edit" }));
  await user.type(screen.getByRole("textbox", { name: "Message" }), "3");
  await user.click(screen.getByRole("button", { name: "Send" }));
  expect((await screen.findByRole("alert")).textContent).toContain("The conversation is full");
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  expect(screen.getByText("Refund 1042")).toBeDefined();
});

test.for([
  ["that is only shown", undefined, []],
  ["to a token that may only read", async () => {}, ["conversations:read"]],
] as const)("no message is edited %s", async ([_what, edit, scopes]) => {
  const session = { role: "user", scopes: scopes.length === 0 ? null : [...scopes] } as const;
  await show(view(edit), { answers, session });
  expect(screen.queryByRole("button", { name: "Edit" })).toBeNull();
});
