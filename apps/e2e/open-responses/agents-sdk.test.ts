import { Agent, OpenAIResponsesModel, run, setTracingDisabled, tool, user } from "@openai/agents";
import OpenAI from "openai";
import { expect, it } from "vitest";
import * as z from "zod";
import { createCalls } from "../siblings/calls.ts";
import { shareServer } from "../server.ts";

// The agents SDK of OpenAI runs the loop, and an agent of the workspace is its model.

const server = shareServer();

it("the agents SDK calls its own tools, and continues with what they return", async () => {
  setTracingDisabled(true);
  const calls = createCalls(server);
  const toolCalls = [{ name: "get_weather", params: { city: "Oslo" } }];
  const model = await calls.createAgent("forecaster", {
    steps: [{ toolCalls }, { text: "Result: {{result}}" }],
    tokenDelayMs: 0,
  });
  const client = new OpenAI({
    apiKey: server().demo.userKey,
    baseURL: `${server().url}/v1`,
    maxRetries: 0,
  });
  const asked: string[] = [];
  const agent = new Agent({
    name: "Weather",
    instructions: "Tell the weather",
    model: new OpenAIResponsesModel(client, `agent/${model}`),
    tools: [
      tool({
        name: "get_weather",
        description: "Tells the weather",
        parameters: z.object({ city: z.string() }),
        execute: async ({ city }) => {
          asked.push(city);
          return "Rain";
        },
      }),
    ],
  });
  const result = await run(agent, [user("How is it?")]);
  expect(asked).toEqual(["Oslo"]);
  expect(result.finalOutput).toBe("Result: Rain");
});
