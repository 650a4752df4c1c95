import { expect, test } from "vitest";
import { expectError, type Request } from "../request.ts";
import { shareServer } from "../server.ts";
import { conversationIn, createOf, createSender, isReplay, makeKey } from "./keyed.ts";

// The interface: a replay is looked up before the create limit is charged.

const server = shareServer({
  PARLEY_RATE_CREATE_PER_MINUTE: "2",
  PARLEY_RATE_READ_PER_MINUTE: "5",
});
const leftOf = ({ headers }: { headers: Headers }) => headers.get("ratelimit")?.split(";t=")[0];

async function createRequest(): Promise<Request> {
  return { ...createOf(server), key: await makeKey(server()) };
}

test("a replay counts as a read, also when the create limit is used up", async () => {
  const request = await createRequest();
  const [sendOnce, sendOther] = [createSender(server), createSender(server)];
  const first = await sendOnce(request);
  expect(leftOf(first)).toBe(`"create";r=1`);
  expect(leftOf(await sendOnce(request))).toBe(`"read";r=4`);
  expect(leftOf(await sendOther(request))).toBe(`"create";r=0`);
  expectError(await createSender(server)(request), "rate_limit_error");
  const again = await sendOnce(request);
  expect(leftOf(again)).toBe(`"read";r=3`);
  expect(isReplay(again)).toBe(true);
  expect(conversationIn(again).conversation.sId).toBe(conversationIn(first).conversation.sId);
  for (let left = 2; left >= 0; left--) {
    expect(leftOf(await sendOnce(request))).toBe(`"read";r=${left}`);
  }
  expectError(await sendOnce(request), "rate_limit_error");
});

test("requests at once with one key share what the first is charged", async () => {
  const request = await createRequest();
  const sendOnce = createSender(server);
  const answers = await Promise.all(Array.from({ length: 4 }, () => sendOnce(request)));
  expect(answers.map(({ status }) => [200, 409].includes(status))).toEqual(answers.map(() => true));
  const next = await createSender(server)(request);
  expect(leftOf(next)).toBe(`"create";r=0`);
});

test("if the limit is used up, all requests at once with one key are refused", async () => {
  const request = await createRequest();
  for (let call = 0; call < 2; call++) await createSender(server)(request);
  const sendOnce = createSender(server);
  const answers = await Promise.all(Array.from({ length: 4 }, () => sendOnce(request)));
  for (const answer of answers) {
    expectError(answer, "rate_limit_error");
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(leftOf(answer)).toBe(`"create";r=0`);
  }
});

test("a malformed key is charged as no key is", async () => {
  const request = await createRequest();
  const answer = await createSender(server, "")(request);
  expectError(answer, "invalid_request_error");
  expect(leftOf(answer)).toBe(`"create";r=1`);
});
