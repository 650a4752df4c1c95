import { screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { Refusal } from "../../testing/answer-calls.ts";
import { actionOf } from "../../testing/models.ts";
import { show } from "../../testing/show.tsx";
import { talkOf } from "../../testing/talk.ts";
import { TalkContext } from "./talk-context.ts";
import { AllowTool, ToolCall } from "./tool-call.tsx";

const START = "POST /tools/msv_1/authorization";

test.for([
  ["running", "Running"],
  ["succeeded", "Succeeded"],
  ["errored", "Failed"],
  ["denied", "Denied"],
  ["blocked_validation_required", "Needs approval"],
  ["blocked_user_answer_required", "Needs an answer"],
  ["blocked_authentication_required", "Needs permission"],
] as const)("a call that is %s says “%s”", async ([status, words]) => {
  await show(<ToolCall action={actionOf({ status })} />);
  expect(screen.getByText(words)).toBeDefined();
});

test("shows the arguments, and the result once there is one", async () => {
  const { user } = await show(<ToolCall action={actionOf()} />);
  await user.click(screen.getByText("refund"));
  expect(screen.getByRole("group", { name: "Arguments" }).textContent).toContain('"1042"');
  expect(screen.queryByRole("group", { name: "Result" })).toBeNull();
});

test("shows each part of a result, how long it took, and JSON with indentation", async () => {
  const output = [{ type: "text", text: '{"refunded":true}' }, { type: "image" }];
  const action = actionOf({ status: "succeeded", executionDurationMs: 1500, output });
  const { user } = await show(<ToolCall action={action} />);
  expect(screen.getByText("1.5 s")).toBeDefined();
  await user.click(screen.getByText("refund"));
  const results = screen.getAllByRole("group", { name: "Result" });
  expect(results.map(({ textContent }) => textContent)).toEqual([
    '{\n  "refunded": true\n}',
    '{\n  "type": "image"\n}',
  ]);
});

test("opens the authorization of the tool, if the call waits for it in a conversation", async () => {
  const open = vi.spyOn(window, "open").mockReturnValue(null);
  const authorizationUrl = "https://shop.test/authorize";
  const action = actionOf({ status: "blocked_authentication_required" });
  const call = (
    <TalkContext value={talkOf()}>
      <ToolCall action={action} />
    </TalkContext>
  );
  const answers = { [START]: () => ({ authorization: { authorizationUrl } }) };
  const { user } = await show(call, { answers });
  await user.click(screen.getByText("refund"));
  await user.click(screen.getByRole("button", { name: "Allow …" }));
  await waitFor(() => expect(open.mock.lastCall?.[0]).toBe(authorizationUrl));
});

test("offers no authorization if the conversation is only shown", async () => {
  const action = actionOf({ status: "blocked_authentication_required" });
  await show(<ToolCall action={action} />);
  expect(screen.queryByText(/needs your permission/)).toBeNull();
});

test("cannot be allowed twice at once, and says why the server refused", async () => {
  const starting = Promise.withResolvers<unknown>();
  const talking = (
    <TalkContext value={talkOf()}>
      <AllowTool toolId="msv_1" />
    </TalkContext>
  );
  const { user, calls } = await show(talking, { answers: { [START]: () => starting.promise } });
  const button = screen.getByRole<HTMLButtonElement>("button", { name: "Allow …" });
  await user.click(button);
  await waitFor(() => expect(button.disabled).toBe(true));
  await user.click(button);
  expect(calls).toHaveLength(1);
  starting.reject(new Refusal("The tool needs no authorization"));
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toMatch(/needs no authorization.*req_1/);
  expect(button.disabled).toBe(false);
});
