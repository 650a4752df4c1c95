import { InvokedSandboxFunction, type SimulatedScript } from "@parley/schema";
import { describe, expect, test } from "vitest";
import { readFrames } from "../frames.ts";
import { jsonOf, pathsOf, send } from "../request.ts";
import { createPlace, eventually, openHostedServer, type Place } from "../server.ts";
import type { Server } from "../server.ts";
import { answersOf, createCalls } from "./calls.ts";
import { openDatabase } from "../faults/stored-state.ts";

// What a stream is once the tokens of its message, or the log of its invocation, are past retention.

// The next start of the server has another port, and its events have URLs in them.
const publicUrl = "http://parley.test";
const text = 'One 😀 two\nthree "four" \\ \u2028five. ';
const call = { name: "search", params: { q: "é😀" }, output: "Paris" };
const answers: Record<string, SimulatedScript> = {
  plain: { steps: [{ text }], tokenDelayMs: 1 },
  thorough: {
    steps: [
      { reasoning: "Which city is it? ", text, toolCalls: [call, call] },
      { reasoning: "Now I know it.", text: `It is ${text}` },
    ],
    tokenDelayMs: 1,
  },
  failing: {
    steps: [{ text, error: { code: "broken", message: "It broke" } }],
    tokenDelayMs: 1,
  },
  cancelled: { steps: [{ text: text.repeat(500) }], tokenDelayMs: 5 },
  pensive: { steps: [{ reasoning: "Hm, hm, hm." }], tokenDelayMs: 1 },
};

interface Frame {
  readonly id: number;
  readonly text: string;
  readonly event: { type: string; text?: string; classification?: string };
}

/** The frames of a whole stream that begins behind an event. */
async function readStream(server: Server, path: string, after = 0): Promise<Frame[]> {
  const separator = path.includes("?") ? "&" : "?";
  const answer = await send(server, { path: `${path}${separator}lastEventId=${after}` });
  if (answer.status === 204) return [];
  expect(`${answer.status} ${answer.text}`).toMatch(/^200 /);
  return framesIn(new Response(answer.text));
}

async function framesIn(response: Response): Promise<Frame[]> {
  const frames = [];
  for await (const { id, text: bytes, data } of readFrames(response)) {
    const event = ("eventId" in data ? data["data"] : data) as Frame["event"];
    frames.push({ id: Number(id), text: bytes, event });
  }
  return frames;
}

const isToken = ({ event }: Frame) => event.type === "generation_tokens";
const isText = (frame: Frame) => isToken(frame) && frame.event.classification === "tokens";
const textOf = (frames: readonly Frame[]) =>
  frames
    .filter(isText)
    .map(({ event }) => event.text ?? "")
    .join("");

/** What stays of the frames of a message: one token, with the bytes of the first but for its text. */
function compacted(frames: readonly Frame[]): Frame[] {
  const first = frames.find(isText);
  const whole = textOf(frames);
  return frames
    .filter((frame) => frame === first || !isToken(frame))
    .map((frame) => {
      if (frame !== first) return frame;
      const member = (value = "") =>
        `"text":${JSON.stringify(value).replaceAll("\u2028", "\\u2028")}`;
      const bytes = frame.text.replace(member(frame.event.text), () => member(whole));
      return { ...frame, text: bytes, event: { ...frame.event, text: whole } };
    });
}

async function createAnswers(server: Server) {
  const calls = createCalls(() => server);
  const ask = async (name: string): Promise<{ cId: string; path: string }> => {
    const agentId = await calls.createAgent(name, answers[name] ?? { steps: [], tokenDelayMs: 0 });
    const { conversation } = await calls.create("Hello", [agentId]);
    const cId = conversation.sId;
    const mId = conversation.content[1]?.[0]?.sId ?? "";
    const path = `${pathsOf(server).conversations}/${cId}/messages/${mId}/events`;
    if (name === "cancelled") {
      const response = await calls.stream(`/${cId}/messages/${mId}/events`);
      let tokens = 0;
      for await (const _ of readFrames(response)) if (++tokens === 5) break;
      await calls.call("POST", `/${cId}/cancel`, { json: { messageIds: [mId] } });
    }
    return { cId, path: path.replace("/api/", "/api/sse/") };
  };
  return Promise.all(
    Object.keys(answers).map(async (name) => {
      const { cId, path } = await ask(name);
      return { name, cId, path, before: await readStream(server, path) };
    }),
  );
}

async function invoke(server: Server) {
  const path = pathsOf(server).invocations("slow-steps");
  const answer = await send(server, { path, json: {} });
  const { sId } = jsonOf(answer, InvokedSandboxFunction, 201).parsed.invocation;
  return {
    sId,
    path: pathsOf(server).events("slow-steps", sId).replace("/api/", "/api/sse/"),
  };
}

/** Lets every log but one be closed so long ago that it is past retention. */
async function age(place: Place, exceptId: string): Promise<void> {
  const database = await openDatabase(place);
  await database.db.execute(
    `update logs set closed_at = closed_at - interval '8 days' where id <> '${exceptId}'`,
  );
  await database.close();
}

describe("a server", () => {
  describe("whose tokens are past retention", () => {
    test(
      "replays each message as its whole text and its end, and no text twice",
      { timeout: 120_000 },
      async () => {
        await using place = await createPlace();
        let stored: Awaited<ReturnType<typeof createAnswers>>;
        let invocation: Awaited<ReturnType<typeof invoke>>;
        let young: Awaited<ReturnType<typeof invoke>>;
        let ofYoung: Frame[];
        let ofInvocation: Frame[];
        const include = "?include=log,progress";
        {
          await using server = await openHostedServer(place, { PARLEY_PUBLIC_URL: publicUrl });
          [stored, invocation, young] = await Promise.all([
            createAnswers(server),
            invoke(server),
            invoke(server),
          ]);
          ofYoung = await readStream(server, young.path + include);
          ofInvocation = await readStream(server, invocation.path + include);
          expect([ofYoung.length, ofInvocation.length]).toEqual([10, 10]);
        }
        await age(place, young.sId);
        await using server = await openHostedServer(place, { PARLEY_PUBLIC_URL: publicUrl });

        for (const { name, cId, path, before } of stored) {
          const expected = compacted(before);
          expect(before.length).toBeGreaterThan(expected.length);
          const after = await eventually(async () => {
            const frames = await readStream(server, path);
            return frames.length < before.length ? { value: frames } : {};
          }, 10_000);
          expect(after).toEqual(expected);
          const [message] = answersOf(await createCalls(() => server).get(cId));
          expect(textOf(after)).toBe(message?.content);
          expect(after.filter(isToken)).toHaveLength(name === "pensive" ? 0 : 1);

          const end = before.at(-1)!;
          for (let cursor = 0; cursor <= end.id + 1; cursor += 1 + Math.floor(end.id / 8)) {
            const rest = expected.filter(({ id }) => id > cursor);
            // A client that has the end gets it again.
            const resumed = rest.length === 0 ? [end] : rest;
            expect(await readStream(server, path, cursor)).toEqual(resumed);
          }
          for (const cursor of [end.id - 1, end.id, end.id + 1]) {
            expect(await readStream(server, path, cursor)).toEqual([end]);
          }
          const plain = await send(server, { path });
          const bytes = expected.map((frame) => frame.text.replace(/^id: \d+\n/, ""));
          expect(plain.text).toBe(bytes.join(""));
        }

        const both = await eventually(async () => {
          const frames = await readStream(server, invocation.path + include);
          return frames.length < 10 ? { value: frames } : {};
        }, 10_000);
        const [created, result] = [ofInvocation[0]!, ofInvocation.at(-1)!];
        expect(both).toEqual([created, result]);
        expect(await readStream(server, invocation.path)).toEqual([created, result]);
        for (let cursor = 1; cursor < 10; cursor++) {
          expect(await readStream(server, invocation.path + include, cursor)).toEqual([result]);
        }
        expect(await readStream(server, invocation.path + include, 10)).toEqual([]);
        // What has not been closed for so long is as it was.
        expect(await readStream(server, young.path + include)).toEqual(ofYoung);
      },
    );
  });
});
