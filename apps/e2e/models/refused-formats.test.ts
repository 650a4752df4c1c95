import { describe, expect, test } from "vitest";
import { mentionOf } from "../siblings/calls.ts";
import { city, format, shareAnsweringServer } from "./answering-server.ts";

const { calls, rpc, wId, createAgent, agentOf, pairOf, service } = shareAnsweringServer();

describe("refused are", () => {
  const refusal = async (act: Promise<unknown>) => {
    const error = await act.then(
      () => undefined,
      (cause: unknown) => cause as Error,
    );
    return error?.message;
  };

  test("schemas that cannot be used, with path and keyword, and they leave no trace", async () => {
    const bad = format({ type: "object", properties: { a: { type: "strin" } } });
    const before = await rpc().agents.listAll.query({ wId: wId(), limit: 100 });
    expect(await refusal(createAgent("openai", { responseFormat: bad }))).toContain(
      "responseFormat.schema.properties.a.type",
    );
    const after = await rpc().agents.listAll.query({ wId: wId(), limit: 100 });
    expect(after.agentConfigurations).toHaveLength(before.agentConfigurations.length);
    const mentions = mentionOf(agentOf("openai"));
    const json = { message: { content: "Hi", mentions, responseFormat: bad } };
    const answer = await calls.call("POST", "", { json });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("message.responseFormat.schema.properties.a.type");
    expect(service().requests).toEqual([]);
  });

  test("strict formats with a keyword that the model's service does not enforce", async () => {
    const limited = { ...city, properties: { city: { type: "string", minLength: 1 } } };
    const responseFormat = format(limited, { strict: true });
    const named =
      /responseFormat\.schema\.properties\.city\.minLength: .*gpt-5 of openai.*minLength/;
    expect(await refusal(createAgent("openai", { responseFormat }))).toMatch(named);
    const agent = await createAgent("openai", { responseFormat: format(city, { strict: true }) });
    const own = { wId: wId(), agentId: agent };
    expect(await refusal(rpc().agents.update.mutate({ ...own, responseFormat }))).toMatch(named);
    const model = pairOf("openai_compatible");
    expect(await refusal(rpc().agents.update.mutate({ ...own, model }))).toMatch(
      /responseFormat\.schema\.type: .*my\/own-model/,
    );
    const send = async (more: object) => {
      const message = { content: "Hi", mentions: mentionOf(agent), ...more };
      return calls.call("POST", "", { json: { message, blocking: true } });
    };
    const ofMessage = await send({ responseFormat });
    expect(ofMessage.status).toBe(400);
    expect(ofMessage.text).toMatch(named);
    const overridden = await send({ modelSelection: model });
    expect(overridden.status).toBe(400);
    expect(overridden.text).toMatch(
      /message\.modelSelection: .*responseFormat\.schema\.type: .*my\/own-model/,
    );
    expect((await send({})).status).toBe(200);
    expect((await send({ responseFormat: format(city), modelSelection: model })).status).toBe(200);
  });
});

test("an agent's format is read, exported, imported and cleared", async () => {
  const responseFormat = format(city, { strict: true });
  const agentId = await createAgent("openai", { responseFormat });
  const own = { wId: wId(), agentId };
  expect(await rpc().agents.getDefinition.query(own)).toMatchObject({
    responseFormat: { ...responseFormat },
  });
  await rpc().agents.update.mutate({ ...own, description: "changed" });
  expect((await rpc().agents.getDefinition.query(own)).responseFormat).toEqual(responseFormat);
  await rpc().agents.update.mutate({ ...own, responseFormat: null });
  expect((await rpc().agents.getDefinition.query(own)).responseFormat).toBeNull();
});
