import { describe, expect, it, onTestFinished } from "vitest";
import { createCalls } from "../siblings/calls.ts";
import { shareServer } from "../server.ts";

// A request that asks an agent and streams the answer has its place among the streams before it writes anything.

describe("a post that streams", () => {
  const server = shareServer({ PARLEY_MAX_STREAMS_PER_KEY: "1" });
  const calls = createCalls(server);

  const agents = () =>
    `/api/v1/w/${server().demo.workspaceId}/assistant/agent_configurations/helper`;
  const say = (text: string, id: string) => ({
    responses: {
      path: "/v1/responses",
      body: { model: "helper", input: text, stream: true },
      wrong: { model: "nobody", input: text, stream: true },
    },
    "chat completions": {
      path: "/v1/chat/completions",
      body: { model: "helper", messages: [{ role: "user", content: text }], stream: true },
      wrong: { model: "nobody", messages: [{ role: "user", content: text }], stream: true },
    },
    "the AI SDK": {
      path: `${agents()}/ai-sdk`,
      body: {
        id,
        trigger: "submit-message",
        messages: [{ id: "m1", role: "user", parts: [{ type: "text", text }] }],
      },
      wrong: { id, trigger: "submit-message", messages: [] },
    },
    "AG-UI": {
      path: `${agents()}/ag-ui`,
      body: {
        threadId: id,
        runId: `${id}-run`,
        messages: [{ id: "m1", role: "user", content: text }],
        tools: [],
        context: [],
        state: {},
        forwardedProps: {},
      },
      wrong: {
        threadId: id,
        runId: `${id}-wrong`,
        messages: [],
        tools: [],
        context: [],
        state: {},
        forwardedProps: {},
      },
    },
  });
  type Door = keyof ReturnType<typeof say>;

  const post = async (path: string, body: object, signal?: AbortSignal) =>
    fetch(server().url + path, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${server().demo.adminKey}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  /** Turns of temporary conversations too, which no list of conversations has. */
  const turns = async () => {
    const wId = server().demo.workspaceId;
    const { runs } = await calls.rpc().runs.list.query({ wId, kind: "turn", limit: 100 });
    return runs.map(({ id }) => id);
  };

  it.each<Door>(["responses", "chat completions", "the AI SDK", "AG-UI"])(
    "of %s is refused without a trace while the places are taken, and has its own back",
    async (door) => {
      const { conversation } = await calls.create("Open", []);
      const leaving = new AbortController();
      onTestFinished(() => leaving.abort());
      const path = `/api/sse/v1/w/${server().demo.workspaceId}/assistant/conversations/${conversation.sId}/events`;
      const held = await fetch(server().url + path, {
        headers: { Authorization: `Bearer ${server().demo.adminKey}` },
        signal: leaving.signal,
      });
      expect(held.status).toBe(200);
      const before = await turns();
      const id = `refused-${door}`;
      const { path: at, body, wrong } = say(`Refused by ${door}`, id)[door];
      const refused = await post(at, body);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
      expect(await refused.text()).toContain("Too many open streams");
      expect(await turns()).toEqual(before);
      leaving.abort();
      await expect.poll(async () => (await post(at, wrong)).status).toBe(400);
      // What was refused for another reason holds no place.
      expect((await post(at, wrong)).status).toBe(400);
      const answered = await post(at, body);
      expect(answered.status).toBe(200);
      expect(await answered.text()).toContain("simulated");
    },
  );
});
