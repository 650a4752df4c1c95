import { endpoints } from "@parley/schema";
import { expect, test } from "vitest";
import { jsonOf, pathsOf, send } from "../request.ts";
import type { Server } from "../server.ts";
import { answerIn, createCalls } from "./calls.ts";
import { addedFragment } from "./sibling-shapes.ts";

// What clients send beyond what they say they do: nothing of it is lost in silence.

/** The tests of the singular fragment, of what a fragment says of itself, and of warnings. */
export function fragmentsAndWarningsSuite(server: () => Server): void {
  const calls = createCalls(server);
  const fragment = (title: string, further: object = {}) => ({
    title,
    content: `Text of ${title}`,
    contentType: "text/plain",
    url: null,
    ...further,
  });
  const titlesIn = (content: readonly (readonly { type: string }[])[]) =>
    content.flatMap((versions) =>
      versions.map((one) => (one as { title?: string }).title ?? one.type),
    );

  test("the singular contentFragment of a create is a fragment, the first in order", async () => {
    const alone = await calls.create("Hi", [], { contentFragment: fragment("one") });
    expect(titlesIn(alone.conversation.content)).toEqual(["one", "user_message"]);
    const beside = await calls.create("Hi", ["helper"], {
      contentFragments: [fragment("two"), fragment("three")],
      contentFragment: fragment("one"),
    });
    expect(titlesIn(beside.conversation.content)).toEqual([
      "one",
      "two",
      "three",
      "user_message",
      "agent_message",
    ]);
    expect(alone.warnings).toBeUndefined();
    const refused = await calls.call("POST", "", {
      json: {
        message: { content: "x", mentions: [] },
        contentFragment: { title: "t", fileId: "x" },
      },
    });
    expect(JSON.parse(refused.text)).toMatchObject({
      error: { type: "file_not_found", message: expect.stringContaining("contentFragment.fileId") },
    });
  });

  test("the singular contentFragment of a post stands before its message", async () => {
    const { conversation } = await calls.create("Hi");
    const posted = await calls.post(conversation.sId, {
      content: "See this",
      mentions: [{ configurationId: "helper" }],
      contentFragment: fragment("one"),
      blocking: true,
    });
    expect(posted.agentMessages[0]?.status).toBe("succeeded");
    const { content } = await calls.get(conversation.sId);
    expect(titlesIn(content)).toEqual(["user_message", "one", "user_message", "agent_message"]);
    const again = {
      method: "POST",
      path: `${pathsOf(server()).conversations}/${conversation.sId}/messages`,
    };
    const json = { content: "Once", mentions: [], contentFragment: fragment("two") };
    const headers = { "idempotency-key": "with-a-fragment" };
    const [first, second] = [
      await send(server(), { ...again, json, headers }),
      await send(server(), { ...again, json, headers }),
    ];
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(JSON.parse(second.text)).toEqual(JSON.parse(first.text));
  });

  test("a fragment's path and its companions are answered as they were sent", async () => {
    const sent = { path: "/a/b.txt", processedPath: "/a/b.md", skipFileProcessing: false };
    const { conversation } = await calls.create("Hi", [], {
      contentFragments: [fragment("all", sent), fragment("none", { path: null })],
    });
    for (const { content } of [conversation, await calls.get(conversation.sId)]) {
      expect(content[0]?.[0]).toMatchObject(sent);
      for (const name of Object.keys(sent)) expect(content[1]?.[0]).not.toHaveProperty(name);
    }
  });

  test("members that nobody knows are named, with what they may mean", async () => {
    const created = await calls.create("Hi", ["nobody"], {
      colour: "blue",
      contentfragments: [],
    });
    expect(created.warnings).toEqual([
      expect.objectContaining({ path: "message.mentions[0].configurationId" }),
      { path: "colour", message: "Unknown field, ignored" },
      {
        path: "contentfragments",
        message: "Unknown field, ignored: did you mean contentFragments?",
      },
    ]);
    const { sId } = created.conversation;
    const posted = await calls.post(sId, { content: "x", mentions: [], contentfragments: [] });
    expect(posted.warnings?.map(({ path }) => path)).toEqual(["contentfragments"]);
    const answer = await calls.call("POST", `/${sId}/content_fragments`, {
      json: fragment("f", { colour: "red" }),
    });
    const schema = endpoints["contentFragments.create"].output;
    const added = answerIn(answer, { shape: addedFragment, schema });
    expect(added.warnings?.map(({ path }) => path)).toEqual(["colour"]);
  });

  test("a name in the text that mentions nobody is named, and so is a misspelt member", async () => {
    const created = await calls.create("Hi @helper, are you there?", []);
    expect(created.warnings).toEqual([
      {
        path: "message.mentions",
        message: expect.stringContaining("@helper in the text mentions no one") as string,
      },
    ]);
    // Addresses of mail and words without a name are not mentions.
    expect((await calls.create("ada@example.com at @ 5", [])).warnings).toBeUndefined();
    expect((await calls.create("Hi @helper", ["helper"])).warnings).toBeUndefined();
    const misspelt = await calls.call("POST", "", { json: { mesage: { content: "Hi" } } });
    expect(misspelt.status).toBe(400);
    expect(JSON.parse(misspelt.text)).toMatchObject({
      error: {
        message: expect.stringMatching(
          /^Invalid request body: mesage: unknown field: did you mean message\?/,
        ) as string,
        issues: [{ path: "mesage" }, { path: "message" }],
      },
    });
  });

  test("a request that is sent again is answered with the same warnings", async () => {
    const json = { message: { content: "Hi", mentions: [] }, nonsense: 1 };
    const headers = { "idempotency-key": "with-nonsense" };
    const schema = endpoints["conversations.create"].output;
    const first = jsonOf(await calls.call("POST", "", { json, headers }), schema).parsed;
    const again = await calls.call("POST", "", { json, headers });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(jsonOf(again, schema).parsed).toEqual(first);
    expect(first.warnings).toHaveLength(1);
  });

  test("over RPC, unknown members are refused", async () => {
    const json = { wId: server().demo.workspaceId, message: { content: "x", mentions: [], y: 1 } };
    const path = "/rpc/conversations.create";
    const answer = await send(server(), { path, json: { json } });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({
      error: { json: { data: { type: "invalid_request_error", issues: [{ path: "message.y" }] } } },
    });
  });

  test("zones that the IANA database has since 2017 are taken, and answered by a listed name", async () => {
    const zones = {
      "Europe/Kyiv": "Europe/Kiev",
      "America/Nuuk": "America/Godthab",
      "America/Ciudad_Juarez": "America/Denver",
      "Europe/Paris": "Europe/Paris",
    };
    for (const [timezone, answered] of Object.entries(zones)) {
      const message = { content: "x", mentions: [], context: { username: "ada", timezone } };
      const { conversation } = await calls.create("x", [], { message });
      const content = [[{ context: { timezone: answered } }]];
      expect(conversation).toMatchObject({ content });
      expect(await calls.get(conversation.sId)).toMatchObject({ content });
    }
    for (const timezone of ["+02:00", "europe/paris", "Europe/kyiv"]) {
      const message = { content: "x", mentions: [], context: { username: "ada", timezone } };
      const refused = await calls.call("POST", "", { json: { message } });
      expect(refused.status).toBe(400);
      expect(refused.text).toContain("message.context.timezone");
    }
  });

  test("line readers of other languages find one line in a frame", async () => {
    const said = "one\u2028two\u2029three\u0085four";
    const agent = await calls.createAgent("Liner", {
      steps: [{ text: said }],
      tokenDelayMs: 0,
    });
    const { conversation } = await calls.create(said, [agent], { blocking: true });
    const answer = conversation.content[1]![0]!;
    const path = `${pathsOf(server()).conversations}/${conversation.sId}/messages/${answer.sId}/events`;
    const stream = await send(server(), { path: path.replace("/api/", "/api/sse/") });
    expect(stream.text).not.toMatch(/[\u0085\u2028\u2029]/);
    const frames = stream.text.split("\n\n").filter((frame) => frame !== "");
    const events = frames.map(
      (frame) => JSON.parse(frame.slice("data: ".length)) as { data: { text?: string } },
    );
    expect(events.map(({ data }) => data.text ?? "").join("")).toBe(said);
  });
}
