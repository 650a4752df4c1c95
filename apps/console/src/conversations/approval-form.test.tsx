import { screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { Refusal } from "../../testing/answer-calls.ts";
import { approvalOf } from "../../testing/models.ts";
import { show } from "../../testing/show.tsx";
import { talkOf } from "../../testing/talk.ts";
import { ApprovalForm } from "./approval-form.tsx";
import { TalkContext } from "./talk-context.ts";

type Talk = ReturnType<typeof talkOf>;

const VALIDATE = "POST /assistant/conversations/con_1/messages/msg_1/validate-action";

const form = (talk: Talk, approval = approvalOf(), onDecide?: () => Promise<void>) => (
  <TalkContext value={talk}>
    <ApprovalForm approval={approval} {...(onDecide && { onDecide })} />
  </TalkContext>
);

const buttons = () => screen.queryAllByRole<HTMLButtonElement>("button");
const button = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });
const namesOfButtons = () =>
  buttons()
    .map(({ textContent }) => textContent)
    .filter((text) => text !== "");

test.for([
  ["Approve", "approved"],
  ["Reject", "rejected"],
  ["Always allow", "always_approved"],
] as const)("“%s” decides that it is %s", async ([name, decision]) => {
  const decide = vi.fn<Talk["decide"]>(async () => true);
  const onDecide = vi.fn<() => Promise<void>>();
  const { user } = await show(form(talkOf({ decide }), approvalOf(), onDecide));
  await user.click(button(name));
  await waitFor(() => expect(onDecide).toHaveBeenCalledOnce());
  expect(decide.mock.calls).toEqual([[approvalOf(), decision]]);
});

test("shows the agent and the tool, with the arguments and the risk", async () => {
  await show(form(talkOf()));
  const group = screen.getByRole("group", { name: "Approval of refund" });
  expect(group.textContent).toContain("Clerk wants to call refund from shop.");
  expect(within(group).getByText("risk: low")).toBeDefined();
  expect(within(group).getByRole("group", { name: "Arguments" }).textContent).toBe("orderId1042");
});

test.for([
  ["none", {}, "No arguments"],
  ["short ones", { note: "a\nb", count: 2, isPaid: true }, "notea\nbcount2isPaidtrue"],
  ["nested ones", { order: { id: 7 } }, '"id": 7'],
  ["long texts", { note: "x".repeat(501) }, '"note": "xxx'],
] as const)("shows %s of the arguments for people to read", async ([, inputs, text]) => {
  await show(form(talkOf(), approvalOf({ inputs })));
  expect(screen.getByRole("group", { name: "Approval of refund" }).textContent).toContain(text);
});

test("a call with a high risk cannot always be allowed", async () => {
  await show(form(talkOf(), approvalOf({ stake: "high" })));
  expect(namesOfButtons()).toEqual(["Approve", "Reject", "Edit arguments"]);
});

test("offers no decision to a token that may only read", async () => {
  await show(form(talkOf()), { session: { role: "user", scopes: ["conversations:read"] } });
  expect(screen.getByRole("group", { name: "Approval of refund" })).toBeDefined();
  expect(namesOfButtons()).toEqual([]);
});

test("no second decision can be sent while one is pending", async () => {
  const deciding = Promise.withResolvers<boolean>();
  const decide = vi.fn<Talk["decide"]>(() => deciding.promise);
  const { user } = await show(form(talkOf({ decide })));
  await user.click(button("Approve"));
  await waitFor(() => expect(button("Approve").disabled).toBe(true));
  await user.click(button("Approve"));
  await user.click(button("Reject"));
  await user.click(button("Always allow"));
  expect(decide).toHaveBeenCalledOnce();
  deciding.resolve(true);
  await waitFor(() => expect(button("Approve").disabled).toBe(false));
});

test("sends edited arguments, after refusing a text that is not a JSON object", async () => {
  const decide = vi.fn<Talk["decide"]>(async () => true);
  const answers = { [VALIDATE]: () => ({ success: true }) };
  const { user, calls } = await show(form(talkOf({ decide })), { answers });
  await user.click(button("Edit arguments"));
  const field = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Arguments (JSON)" });
  for (const [text, refusal] of [
    ["{", /Invalid JSON/],
    ["[[7]", /Enter a JSON object/],
  ] as const) {
    await user.clear(field);
    await user.type(field, text.replaceAll("{", "{{"));
    await user.click(button("Approve"));
    expect((await screen.findByRole("alert")).textContent).toMatch(refusal);
  }
  expect(field.value).toBe("[7]");
  await user.clear(field);
  await user.type(field, '{{"orderId": "7"}');
  await user.click(button("Approve"));
  await screen.findByText("Decision sent");
  const input = { actionId: "act_1", approved: "approved", params: { orderId: "7" } };
  expect(calls).toEqual([{ to: VALIDATE, input }]);
  expect(decide).not.toHaveBeenCalled();
});

test("edited arguments stay when the server refuses them", async () => {
  const answers = {
    [VALIDATE]: () => {
      throw new Refusal("Refused", [{ path: "params.orderId", message: "must be a number" }]);
    },
  };
  const { user } = await show(form(talkOf()), { answers });
  await user.click(button("Edit arguments"));
  const field = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Arguments (JSON)" });
  await user.type(field, " ");
  const typed = field.value;
  await user.click(button("Approve"));
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toMatch(/Refused.*params\.orderId must be a number.*req_1/);
  expect(field.value).toBe(typed);
  await user.click(button("Discard edits"));
  expect(screen.queryByRole("textbox")).toBeNull();
});
