import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "../../testing/show.tsx";
import { SentRequests } from "./sent-requests.tsx";

const request = {
  messageId: "msg_1",
  step: 1,
  attempt: 1,
  model: { providerId: "openai", modelId: "gpt-5" },
  sentAt: 0,
  sizeBytes: 1234,
  sha256: "00",
  body: '{"model":"gpt-5","input":[]}',
  matches: true,
  missing: [],
  tokensByPart: [
    { part: "instructions", tokens: 1500 },
    { part: "messages", tokens: 20 },
  ],
};
const answer = { messageId: "msg_1", providerId: "openai", steps: 2 };
const answering = (more: object = {}) => ({
  "messages.getRequest": () => ({ request: { ...request, ...more } }),
});

test("a request is read when it is asked for, with its tokens by part", async () => {
  const { user, calls } = await show(<SentRequests conversationId="con_1" answer={answer} />, {
    answers: answering(),
  });
  expect(calls).toEqual([]);
  await user.click(screen.getByRole("button", { name: /Step 2/ }));
  const shown = await screen.findByRole("group", { name: "Request of step 2" });
  expect(shown.textContent).toBe(JSON.stringify(JSON.parse(request.body), null, 2));
  const input = { wId: "wks_1", cId: "con_1", mId: "msg_1", n: 1 };
  expect(calls).toMatchObject([{ to: "messages.getRequest", input }]);
  expect(document.body.textContent).toContain("1,234 bytes · instructions 1,500 tokens");
  expect(screen.queryByRole("note")).toBeNull();
});

test("a difference from what was sent is said", async () => {
  const missing = [{ kind: "file", id: "fil_1" }];
  const body = '{"tools":{{missing:00}}}';
  const { user } = await show(<SentRequests conversationId="con_1" answer={answer} />, {
    answers: answering({ matches: false, missing, body, step: 0 }),
  });
  await user.click(screen.getByRole("button", { name: /Step 1/ }));
  expect((await screen.findByRole("note")).textContent).toContain("no longer there: file fil_1");
  expect(screen.getByRole("group").textContent).toBe(body);
});

test.each([
  ["simulated models", { ...answer, providerId: "simulated" }, "admin" as const],
  ["users", answer, "user" as const],
])("there are none for %s", async (_, of, role) => {
  await show(<SentRequests conversationId="con_1" answer={of} />, { session: { role } });
  expect(screen.queryByRole("button")).toBeNull();
});
