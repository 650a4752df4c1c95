import { type EndpointName, endpoints, type JsonEndpoint } from "@parley/schema";
import { expect, test } from "vitest";
import { type Answer, expectError, jsonOf, pathsOf, type Request, send } from "../request.ts";
import type { Server } from "../server.ts";
import { answersOf, createCalls, mentionOf } from "./calls.ts";

// What clients of the interface call beside conversations: feedback, edits, mentions, agents as files.

/** The tests of the further routes of published clients. */
export function clientRoutesSuite(server: () => Server): void {
  const { call, create, get, rpc } = createCalls(server);
  const below = (tail: string, request: Omit<Request, "path"> = {}) =>
    send(server(), { path: `${pathsOf(server()).workspace}/${tail}`, ...request });
  const parsed = (name: EndpointName, answer: Answer): unknown =>
    jsonOf(answer, (endpoints[name] as JsonEndpoint).output).parsed;
  const ask = async (agents = ["helper"]) => {
    const { conversation, message } = await create("Hello", agents, { blocking: true });
    const cId = conversation.sId;
    return { cId, asked: message.sId, mId: answersOf(await get(cId))[0]!.sId };
  };

  test("feedback is given, read, listed for builders and withdrawn", async () => {
    const { cId, mId } = await ask();
    const path = `/${cId}/messages/${mId}/feedbacks`;
    const json = { thumbDirection: "down", feedbackContent: "No", isConversationShared: true };
    expect(parsed("feedbacks.give", await call("POST", path, { json }))).toEqual({ success: true });
    const { feedbacks } = parsed("feedbacks.listOwn", await call("GET", `/${cId}/feedbacks`)) as {
      feedbacks: object[];
    };
    expect(feedbacks).toMatchObject([
      {
        messageId: mId,
        thumbDirection: "down",
        content: "No",
        agentConfigurationId: "helper",
        isConversationShared: true,
      },
    ]);
    expect(parsed("feedbacks.get", await call("GET", path))).toEqual({ feedbacks });
    const { workspaceId: wId } = server().demo;
    const listed = await rpc().feedbacks.list.query({ wId, thumbDirection: "down" });
    expect(listed.feedbacks.filter((one) => one.conversationId === cId)).toMatchObject(feedbacks);
    await call("DELETE", path);
    expect(parsed("feedbacks.get", await call("GET", path))).toEqual({ feedbacks: [] });
    const sideways = await call("POST", path, { json: { thumbDirection: "left" } });
    expectError(sideways, "invalid_request_error", { field: "thumbDirection" });
  });

  test("an edit is answered again, once for each Idempotency-Key", async () => {
    const { cId, asked } = await ask();
    const path = `/${cId}/messages/${asked}/edit`;
    const json = { content: "Edited", mentions: mentionOf("helper", "nobody") };
    const headers = { "idempotency-key": `edit-${cId}` };
    const edited = await call("POST", path, { json, headers });
    const { message, agentMessages, warnings } = parsed("messages.edit", edited) as {
      message: { sId: string };
      agentMessages: { sId: string; version: number }[];
      warnings: object[];
    };
    expect(message).toMatchObject({ version: 1, content: "Edited" });
    expect(agentMessages).toMatchObject([{ version: 1, parentMessageId: message.sId }]);
    expect(warnings).toMatchObject([{ path: "mentions[1].configurationId" }]);
    await expect
      .poll(async () => answersOf(await get(cId))[0]?.content, { interval: 10, timeout: 5000 })
      .toContain("You said: Edited");
    const again = await call("POST", path, { json, headers });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(parsed("messages.edit", again)).toMatchObject({
      message: { sId: message.sId },
      agentMessages: [{ sId: agentMessages[0]?.sId, status: "succeeded" }],
    });
    expect((await get(cId)).content.map((versions) => versions.length)).toEqual([2, 2]);
    const other = { key: server().demo.userKey, json };
    expectError(await call("POST", path, other), "conversation_not_found");
  });

  test("mentions are parsed and suggested, and a favourite comes first", async () => {
    const json = { markdown: "@helper and @nobody" };
    expect(parsed("mentions.parse", await below("assistant/mentions/parse", { json }))).toEqual({
      markdown: ":mention[helper]{sId=helper} and @nobody",
      mentions: [{ configurationId: "helper" }],
    });
    const { cId } = await ask(["faulty"]);
    const idsOf = async (tail: string) => {
      const answer = await below(`assistant/${tail}?query=&select=agents&select=users`);
      const { suggestions } = parsed("mentions.suggest", answer) as {
        suggestions: { id: string }[];
      };
      return suggestions.map(({ id }) => id);
    };
    expect((await idsOf(`conversations/${cId}/mentions/suggestions`))[0]).toBe("faulty");
    const agents = "assistant/agent_configurations";
    const mark = (userFavorite: boolean) =>
      below(`${agents}/slowpoke`, { method: "PATCH", json: { userFavorite } });
    expect(parsed("agents.patch", await mark(true))).toMatchObject({
      agentConfiguration: { sId: "slowpoke", userFavorite: true },
    });
    expect((await idsOf("mentions/suggestions"))[0]).toBe("slowpoke");
    const favorites = async (key: string) =>
      parsed("agents.list", await below(`${agents}?view=favorites`, { key }));
    const { adminKey, userKey } = server().demo;
    expect(await favorites(adminKey)).toMatchObject({ agentConfigurations: [{ sId: "slowpoke" }] });
    expect(await favorites(userKey)).toEqual({ agentConfigurations: [] });
    await mark(false);
    expect(await favorites(adminKey)).toEqual({ agentConfigurations: [] });
  });

  test("an agent is exported as YAML, which an import takes back", async () => {
    const { agentConfiguration } = parsed(
      "agents.createGeneric",
      await below("assistant/generic_agents", {
        json: { name: "Gen", description: "d", instructions: "One\ntwo\n", emoji: "x" },
      }),
    ) as { agentConfiguration: { sId: string; version: number } };
    const { sId } = agentConfiguration;
    const agents = "assistant/agent_configurations";
    const exported = await below(`${agents}/${sId}/export/yaml`);
    expect(exported.headers.get("content-type")).toBe("application/yaml; charset=utf-8");
    expect(exported.headers.get("content-disposition")).toContain(`${sId}.yaml`);
    expect(exported.text).toContain("instructions: |\n  One\n  two\n");
    const {
      id: _id,
      version: _version,
      versionCreatedAt: _at,
      ...same
    } = agentConfiguration as {
      [member: string]: unknown;
    };
    const importing = (yaml: string, key = server().demo.adminKey) =>
      below(`${agents}/import`, { json: { yaml }, key });
    expect(parsed("agents.import", await importing(exported.text))).toMatchObject({
      agentConfiguration: { ...same, version: 1 },
      skippedActions: [],
    });
    expectError(await importing("[}"), "invalid_request_error", { field: "yaml" });
    const { userKey } = server().demo;
    expectError(await importing(exported.text, userKey), "app_auth_error");
    expectError(await below(`${agents}/${sId}/export/yaml`, { key: userKey }), "app_auth_error");
  });

  test("the use of the workspace is exported, and that of a conversation read", async () => {
    const { cId, mId } = await ask();
    expect(
      parsed("conversations.getConsumption", await call("GET", `/${cId}/consumption`)),
    ).toMatchObject({
      total: { answers: 1, steps: 1 },
      agents: [{ agentConfigurationId: "helper", answers: 1 }],
      messages: [{ messageId: mId, status: "succeeded", modelId: "simulated-1" }],
    });
    const today = new Date().toISOString().slice(0, 10);
    const range = `startDate=${today.slice(0, 4)}-01-01&endDate=${today.slice(0, 4)}-12-31`;
    const exported = await below(`analytics/export?table=agents&${range}`);
    expect(exported.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(exported.text).toMatch(/^agentId,agentName,[\w,]+\r\n(?:.*\r\n)*helper,helper,/);
    const asJson = await below(`analytics/export?table=usage_metrics&format=json&${range}`);
    expect(JSON.parse(asJson.text)).toMatchObject([{ date: today }]);
    const tooLong = await below(
      "analytics/export?table=agents&startDate=2020-01-01&endDate=2022-01-01",
    );
    expectError(tooLong, "invalid_request_error", { field: "endDate" });
    const { userKey } = server().demo;
    expectError(
      await below(`analytics/export?table=agents&${range}`, { key: userKey }),
      "app_auth_error",
    );
  });

  test("every call of a model is exported, streamed, to admins", async () => {
    await ask();
    const today = new Date().toISOString().slice(0, 10);
    const range = { startDate: today, endDate: today };
    const post = async (json: object, key?: string) =>
      below("analytics/consumption/export", { json, ...(key !== undefined && { key }) });
    const exported = await post(range);
    expect(exported.status).toBe(200);
    expect(exported.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(exported.headers.get("content-disposition")).toContain(`consumption_${today}_`);
    expect(exported.text).toMatch(/^timestamp,origin,user_id,[\w,]+\r\n(?:.*\r\n)*/);
    const lines = await post({ ...range, format: "ndjson", filter: { agents: ["helper"] } });
    expect(lines.headers.get("content-type")).toBe("application/x-ndjson");
    const rows = lines.text.trimEnd().split("\n");
    expect(rows.map((row) => JSON.parse(row) as object)).toContainEqual(
      expect.objectContaining({ agent_id: "helper", model_id: "simulated-1", origin: "answer" }),
    );
    expectError(
      await post({ startDate: "2026-01-01", endDate: "2026-01-31" }),
      "invalid_request_error",
      { field: "endDate" },
    );
    expectError(await post({ startDate: "today", endDate: today }), "invalid_request_error", {
      field: "startDate",
    });
    expectError(await post(range, server().demo.userKey), "app_auth_error");
  });

  test("a skill of the list is read by its id, and no other", async () => {
    const { skills } = parsed("skills.list", await below("skills")) as {
      skills: { sId: string }[];
    };
    expect(parsed("skills.read", await below(`skills/${skills[0]?.sId}`))).toEqual({
      skill: skills[0],
    });
    const hidden = parsed(
      "skills.list",
      await below("skills?bypassEditorVisibility=true&availability=editors"),
    ) as { skills: { sId: string }[] };
    const path = `skills/${hidden.skills[0]?.sId}`;
    expect(parsed("skills.read", await below(`${path}?bypassEditorVisibility=true`))).toEqual({
      skill: hidden.skills[0],
    });
    const headers = { "x-request-id": "same" };
    const unlisted = await below(path, { headers });
    expectError(unlisted, "skill_not_found");
    expect((await below("skills/skl_nobody", { headers })).text).toBe(unlisted.text);
    const { userKey: key } = server().demo;
    expectError(await below(`${path}?bypassEditorVisibility=true`, { key }), "app_auth_error");
  });

  test("the workspace exists, without flags and domains, and admins read its addresses", async () => {
    const { userKey: key } = server().demo;
    expect(parsed("workspaces.exists", await below("exists", { key }))).toEqual({ exists: true });
    expect(parsed("featureFlags.list", await below("feature_flags", { key }))).toEqual({
      feature_flags: [],
    });
    expect(parsed("verifiedDomains.list", await below("verified_domains", { key }))).toEqual({
      verified_domains: [],
    });
    const { workspaceId: wId } = server().demo;
    const emails = async (query: string) =>
      (parsed("members.listEmails", await below(`members/emails${query}`)) as { emails: string[] })
        .emails;
    const email = "routes@example.com";
    const { member } = await rpc().members.add.mutate({ wId, email, firstName: "R" });
    expect(await emails("?activeOnly=true")).toContain(email);
    await rpc().members.remove.mutate({ wId, memberId: member.sId });
    expect(await emails("?activeOnly=true")).not.toContain(email);
    expect(await emails("")).toContain(email);
    expectError(await below("members/emails", { key }), "app_auth_error");
  });
}
