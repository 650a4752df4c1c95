import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Answer, jsonOf, send } from "../request.ts";
import { shareServer } from "../server.ts";
import * as z from "zod";

// A request that is sent several times at once under one Idempotency-Key is done once, at doors too that look for what it
// continues before they do anything: another of them may have created that.

const server = shareServer();
const TIMES = 12;
const ROUNDS = 8;

/** Sends it again and again while it is done, so that some arrive at each point of the first. */
const several = (request: () => Promise<Answer>) =>
  Promise.all(
    Array.from({ length: TIMES }, async (_, index) => {
      await sleep(index * 2);
      return request();
    }),
  );

/** The types of the errors of those that were refused. */
const refusalsIn = (answers: readonly Answer[]) =>
  answers.filter(({ status }) => status !== 200).map(({ text }) => text);

test.for(Array.from({ length: ROUNDS }, (_, round) => round))(
  "a chat of the AI SDK begins once, round %i",
  async (round) => {
    const { workspaceId } = server().demo;
    const id = `repeated-${round}`;
    const message = { id: "m", role: "user", parts: [{ type: "text", text: "Hello!" }] };
    const answers = await several(() =>
      send(server(), {
        path: `/api/v1/w/${workspaceId}/assistant/agent_configurations/helper/ai-sdk`,
        headers: { "idempotency-key": id },
        json: { id, messages: [message], trigger: "submit-message" },
      }),
    );
    const conversations = answers.flatMap(
      ({ text }) => /"conversationId":"(\w+)"/.exec(text)?.[1] ?? [],
    );
    expect(new Set(conversations).size).toBe(1);
    for (const refusal of refusalsIn(answers)) expect(refusal).toContain("idempotency_key_in_use");
  },
);

test.for(Array.from({ length: ROUNDS }, (_, round) => round))(
  "a response is continued once, round %i",
  async (round) => {
    const response = z.object({ id: z.string() });
    const ask = (more: object, key: string) =>
      send(server(), {
        path: "/v1/responses",
        headers: { "idempotency-key": `${key}-${round}` },
        json: { model: "agent/helper", input: "Hello!", ...more },
      });
    const { id } = jsonOf(await ask({}, "first"), response).parsed;
    const answers = await several(() => ask({ previous_response_id: id }, "second"));
    const done = answers.filter(({ status }) => status === 200);
    expect(new Set(done.map((answer) => jsonOf(answer, response).parsed.id)).size).toBe(1);
    for (const refusal of refusalsIn(answers)) expect(refusal).toContain("idempotency_key_in_use");
  },
);
