import { describe, expect, it } from "vitest";
import { challengeOf, isPing, keptHeaders, readEventBody, sentKey } from "./event-content.ts";

const request = (body: string | Uint8Array, type = "application/json") => ({
  headers: { "content-type": type },
  body: Buffer.from(body),
});
const FORM = "application/x-www-form-urlencoded";

describe("bodies of events", () => {
  it.each([
    ["JSON", request('{"a":[1]}'), { a: [1] }],
    ["JSON with a charset", request("[1]", "Application/JSON; charset=utf-8"), [1]],
    ["JSON of a kind", request("{}", "application/cloudevents+json"), {}],
    ["a large number", request("1e300"), 1e300],
    ["a form", request("a=1&b=x+y%21", FORM), { a: "1", b: "x y!" }],
    ["the payload of a form", request("payload=%7B%22a%22%3A1%7D", FORM), { a: 1 }],
    ["a form with more than a payload", request("payload=1&b=2", FORM), { payload: "1", b: "2" }],
  ])("are read: %s", (_name, given, read) => {
    expect(readEventBody(given, { readsForms: true })).toEqual(read);
  });

  it.each([
    ["no JSON", request("{"), "malformed JSON"],
    ["nothing", request(""), "malformed JSON"],
    ["no UTF-8", request(Uint8Array.of(0x22, 0xff, 0x22)), "not valid UTF-8"],
    ["too deep", request("[".repeat(65) + "]".repeat(65)), "nested deeper than 64"],
    ["too many values", request(`[${"0,".repeat(100_000)}0]`), "at most 100000 values"],
    ["unclosed brackets", request("[".repeat(1_000_000)), "at most 100000 values"],
    ["another type", request("x", "text/plain"), "the content type must be application/json"],
    ["no type", request("{}", ""), "the content type must be application/json"],
    ["too many fields", request("a=1&".repeat(1001), FORM), "at most 1000 fields"],
    ["a payload that is no JSON", request("payload=x", FORM), "malformed JSON"],
  ])("are refused: %s", (_name, given, message) => {
    expect(() => readEventBody(given, { readsForms: true })).toThrow(message);
  });

  it("are no forms where a secret is in the URL", () => {
    expect(() => readEventBody(request("a=1", FORM), { readsForms: false })).toThrow(
      "the content type must be application/json",
    );
  });
});

it("headers with credentials are not kept", () => {
  const headers = {
    accept: "*/*",
    authorization: "Bearer x",
    cookie: "a=b",
    "content-type": "application/json",
    "stripe-signature": "t=1",
    "user-agent": "GitHub-Hookshot/1",
    "x-api-key": "x",
    "x-forwarded-for": "10.0.0.1",
    "x-github-delivery": "1",
    "x-gitlab-token": "x",
    "x-hub-signature-256": "sha256=",
    "x-shop-secret": "x",
  };
  expect(Object.keys(keptHeaders({ headers }))).toEqual([
    "content-type",
    "user-agent",
    "x-github-delivery",
  ]);
});

describe("keys of events", () => {
  const headers = { "webhook-id": "msg_1", "x-github-delivery": "guid" };
  const body = { id: "evt_1", event_id: "Ev1" };
  it.each([
    ["standard_webhooks", "msg_1"],
    ["github", "guid"],
    ["stripe", "evt_1"],
    ["slack", "Ev1"],
    ["url", undefined],
  ] as const)("of %s are what it sends", (type, key) => {
    expect(sentKey({ type }, { headers }, body)).toBe(key);
    expect(sentKey({ type }, { headers: {} }, ["id"])).toBeUndefined();
    expect(sentKey({ type }, { headers: {} }, { id: 7, event_id: null })).toBeUndefined();
  });

  it("are refused if they are too long", () => {
    const long = { id: "x".repeat(256) };
    expect(() => sentKey({ type: "stripe" }, { headers: {} }, long)).toThrow("at most 255");
  });
});

it("what only asks whether an event arrives is known", () => {
  const asked = { type: "url_verification", challenge: "abc" };
  expect(challengeOf({ type: "slack" }, asked)).toBe("abc");
  expect(challengeOf({ type: "github" }, asked)).toBeUndefined();
  expect(
    challengeOf({ type: "slack" }, { type: "event_callback", challenge: "abc" }),
  ).toBeUndefined();
  expect(isPing({ type: "github" }, { headers: { "x-github-event": "ping" } })).toBe(true);
  expect(isPing({ type: "stripe" }, { headers: { "x-github-event": "ping" } })).toBe(false);
});
