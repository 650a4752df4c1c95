import { expect, it } from "vitest";
import { applicationTools, watchOutputs } from "./application-tools.ts";

const named = (...names: string[]) =>
  names.map((name) => ({ name, description: "", parameters: { type: "object" } }));

/** The tools that a turn offers whose agent has `look`, `shop__buy`, the question to its user and a memory. */
const offered = (given: Parameters<typeof applicationTools>[0]["message"]["answerSettings"]) =>
  applicationTools({
    message: { answerSettings: given },
    agent: { asksUser: true },
    functions: [{ slug: "look" }],
    tools: [{ name: "shop__buy" }],
    team: [{ tool: "ask_bob" }],
    mounts: [{}],
  }).map(({ name }) => name);

it.each([
  { brought: ["b", "a"], are: ["b", "a"] },
  { brought: ["look", "a", "shop__buy", "ask_user", "ask_bob", "memory"], are: ["a"] },
  {
    brought: ["skills__load", "skills__x", "results__read", "results__write"],
    are: ["results__write"],
  },
])("of $brought, $are are offered beside the agent's own", ({ brought, are }) => {
  expect(offered({ functionTools: named(...brought) })).toEqual(are);
});

it("offers none without any, and none if nothing is to be called", () => {
  expect(offered(null)).toEqual([]);
  expect(offered({ temperature: 1 })).toEqual([]);
  expect(offered({ functionTools: named("a"), toolChoice: "none" })).toEqual([]);
});

it("sees when an answer waits for its application, and when it no longer does", () => {
  const isWaiting = watchOutputs();
  let seq = 0;
  const event = (type: string, more: object = {}) => ({
    seq: ++seq,
    type,
    payload: JSON.stringify({ type, ...more }),
  });
  const asks = (actionId: string) => event("tool_output_required", { actionId });
  const ends = (sId: string) => event("agent_action_success", { action: { sId } });
  expect(isWaiting([event("generation_tokens")])).toBe(false);
  expect(isWaiting([event("tool_params"), asks("a"), asks("b"), ends("own")])).toBe(true);
  expect(isWaiting([ends("a")])).toBe(true);
  expect(isWaiting([ends("b"), event("generation_tokens")])).toBe(false);
});
