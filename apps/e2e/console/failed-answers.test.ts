import { type FakeService, startFakeService } from "@parley/agent/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("failed answers", () => {
  const settings: Record<string, string> = {};
  let service: FakeService;
  beforeAll(async () => {
    service = await startFakeService();
    settings["PARLEY_OPENAI_COMPATIBLE_URL"] = `${service.url}/v1`;
  });
  afterAll(() => service.close());
  const server = shareServer(settings);
  const opened = shareConsole(server);
  const calls = createCalls(server);

  it("show the provider's message, but not to users", async () => {
    const { workspaceId: wId, userKey } = server().demo;
    const model = { providerId: "openai_compatible", modelId: "llama" };
    await calls.rpc().workspaces.update.mutate({ wId, enableModels: [model] });
    const agent = { wId, name: "Llama", description: "", model };
    const { agentConfiguration } = await calls.rpc().agents.create.mutate(agent);
    const message = { content: "Hi", mentions: [{ configurationId: agentConfiguration.sId }] };
    const headers = { "x-request-id": "req_7" };
    service.faults.push({ kind: "status", status: 404, message: "No such model: llama", headers });
    const json = { message, blocking: true };
    const { text } = await calls.call("POST", "", { json, key: userKey });
    const { conversation } = JSON.parse(text) as { conversation: { sId: string } };
    const path = `/conversations/${conversation.sId}`;
    const page = await opened().enter(path);
    const said = page.getByRole("figure").filter({ hasText: "request req_7" });
    await said.getByText("No such model: llama").waitFor();
    await expectAccessible(page);
    const ofUser = await opened().enter(path, { key: userKey });
    await ofUser.getByRole("alert").getByText("(provider_error)").waitFor();
    expect(await ofUser.getByRole("figure").count()).toBe(0);
  });
});
