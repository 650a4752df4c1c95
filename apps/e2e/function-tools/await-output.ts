import { pathsOf, type Request } from "../request.ts";
import type { Server } from "../server.ts";
import { createToolAsker } from "./ask-with-tools.ts";

/** Lets an agent call a tool of the application; gives the request that sends the output. */
export async function awaitOutput(server: () => Server): Promise<Request> {
  const { calls, ask, callsOf } = createToolAsker(server);
  const agent = await calls.createAgent("Calling", {
    steps: [{ toolCalls: [{ name: "get_weather", params: {} }] }],
    tokenDelayMs: 0,
  });
  const { cId, mId } = await ask(agent);
  const [waiting] = await callsOf({ cId, mId });
  const path = `${pathsOf(server()).conversations}/${cId}/messages/${mId}/tool-outputs`;
  const outputs = [{ actionId: String(waiting?.data["actionId"]), output: "Rain" }];
  return { path, json: { outputs } };
}
