import { describe, expect, test } from "vitest";
import { createToolAsker } from "../function-tools/ask-with-tools.ts";
import { createPlace, type Server, startServer, within } from "../server.ts";
import { startAnswerLosingProxy } from "./answer-losing-proxy.ts";

// An answer waits for the outputs of an application while its server is killed, and while their commit is not answered.

const settings = { PARLEY_LEASE_MS: "500" };

const askTwice = async (server: () => Server) => {
  const asker = createToolAsker(server);
  const toolCalls = ["get_weather", "get_time"].map((name) => ({ name, params: {} }));
  const agent = await asker.calls.createAgent("Both", {
    steps: [{ text: "Well. ", toolCalls }, { text: "So: {{result}}" }],
    tokenDelayMs: 0,
  });
  const asked = await asker.ask(agent);
  const waiting = await asker.callsOf(asked, 2);
  const outputs = waiting.map(({ data }, index) => ({
    actionId: String(data["actionId"]),
    output: ["Rain", "Noon"][index]!,
  }));
  /** Expects that each output is there once, and that the answer has ended with them. */
  const expectWhole = async () => {
    const { answer, types } = await within(60_000, asker.endOf(asked));
    expect(answer).toMatchObject({
      status: "succeeded",
      content: "Well. So: Noon",
      actions: [
        { status: "succeeded", output: [{ text: "Rain" }] },
        { status: "succeeded", output: [{ text: "Noon" }] },
      ],
    });
    expect(types.filter((type) => type === "agent_action_success")).toHaveLength(2);
  };
  return { ...asker, asked, outputs, expectWhole };
};

describe("outputs of an application's tools", { timeout: 180_000 }, () => {
  test("continue an answer whose server was killed meanwhile, also as they came", async () => {
    await using place = await createPlace();
    let server = await startServer(place, settings);
    const replace = async () => {
      await server.kill();
      server = await startServer(place, settings);
    };
    const { asked, send, outputs, expectWhole } = await askTwice(() => server);
    await replace();
    expect((await send(asked, outputs.slice(0, 1))).status).toBe(200);
    await replace();
    // It may be stored or not: the client cannot know.
    const last = send(asked, outputs.slice(1)).catch(() => undefined);
    await replace();
    await last;
    // Without the kill's answer, the application sends all of them again.
    expect((await send(asked, outputs)).status).toBe(200);
    await expectWhole();
    await server[Symbol.asyncDispose]();
  });

  test("are stored once if the answer to their commit is lost", async () => {
    await using place = await createPlace();
    await using proxy = await startAnswerLosingProxy(place.databaseUrl ?? "");
    await using server = await startServer(place, { ...settings, DATABASE_URL: proxy.url });
    const { asked, send, outputs, expectWhole } = await askTwice(() => server);
    const lost = proxy.loseAnswerTo("commit");
    expect((await send(asked, outputs)).status).toBe(200);
    await within(5000, lost);
    expect((await send(asked, outputs)).status).toBe(200);
    await expectWhole();
  });
});
