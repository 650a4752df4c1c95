import OpenAI from "openai";
import { expect, test } from "vitest";
import { createPlace, type ServerProcess, startServer } from "../server.ts";

const clientOf = ({ url, demo }: ServerProcess) =>
  new OpenAI({ apiKey: demo.userKey, baseURL: `${url}/v1`, maxRetries: 0 });

async function textOf(server: ServerProcess, path: string): Promise<string> {
  const response = await fetch(`${server.url}/v1/responses/${path}`, {
    headers: { authorization: `Bearer ${server.demo.userKey}` },
  });
  return response.text();
}

test(
  "a stream continues with the same bytes after the server was killed",
  { timeout: 120_000 },
  async () => {
    await using place = await createPlace();
    const settings = { PARLEY_LEASE_MS: "500" };
    let server: ServerProcess = await startServer(place, settings);
    try {
      const stream = await clientOf(server).responses.create({
        model: "slowpoke",
        input: "Hi é😀",
        background: true,
        stream: true,
      });
      let id = "";
      let last = -1;
      for await (const event of stream) {
        if (event.type === "response.created") id = event.response.id;
        last = event.sequence_number;
        if (event.type === "response.output_text.delta") break;
      }
      await server.kill();
      server = await startServer(place, settings);
      const rest = await textOf(server, `${id}?stream=true&starting_after=${last}`);
      const whole = await textOf(server, `${id}?stream=true`);
      expect(rest.length).toBeGreaterThan(0);
      expect(whole.endsWith(rest)).toBe(true);
      const numbers = [...whole.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) =>
        Number(number),
      );
      expect(numbers).toEqual(numbers.map((_, at) => at));
      expect(Number(/"sequence_number":(\d+)/.exec(rest)?.[1])).toBe(last + 1);
      expect(await clientOf(server).responses.retrieve(id)).toMatchObject({
        status: "completed",
        output_text: expect.stringMatching(/^I take my time.*nothing is missing\.$/s),
      });
    } finally {
      await server[Symbol.asyncDispose]();
    }
  },
);

test(
  "chat completions give the same answer for the same key after the server was killed",
  { timeout: 120_000 },
  async () => {
    await using place = await createPlace();
    const settings = { PARLEY_LEASE_MS: "500" };
    let server: ServerProcess = await startServer(place, settings);
    const request = { model: "slowpoke", messages: [{ role: "user" as const, content: "Hello" }] };
    const headers = { "Idempotency-Key": "once" };
    try {
      const stream = await clientOf(server).chat.completions.create(
        { ...request, stream: true },
        { headers },
      );
      let id = "";
      for await (const chunk of stream) {
        ({ id } = chunk);
        if ((chunk.choices[0]?.delta.content ?? "") !== "") break;
      }
      await server.kill();
      server = await startServer(place, settings);
      const again = await clientOf(server).chat.completions.create(
        { ...request, stream: true },
        { headers },
      );
      const chunks = await Array.fromAsync(again);
      expect(new Set(chunks.map((chunk) => chunk.id))).toEqual(new Set([id]));
      const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
      expect(text).toMatch(/^I take my time.*nothing is missing\.$/s);
    } finally {
      await server[Symbol.asyncDispose]();
    }
  },
);
