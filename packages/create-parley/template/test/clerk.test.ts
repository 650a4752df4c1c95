import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { agentMessages, createParley } from "parley-client";
import { servePage } from "../page.ts";
import { type Parley, startParley } from "../parley.ts";

let parley: Parley;
let directory: string;
before(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), "clerk-"));
  parley = await startParley({ PARLEY_DATA_DIR: directory, PARLEY_PORT: "0" });
});
after(async () => {
  await parley?.stop();
  await rm(directory, { recursive: true });
});

test("a visitor asks the clerk, who calls the function", async () => {
  const server = await servePage(parley, 0);
  const page = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  assert.match(await (await fetch(page)).text(), /chat\.js/);
  const access = await (await fetch(`${page}/token`, { method: "POST" })).json();
  server.close();
  const { url: baseUrl, workspaceId, token: apiKey } = access;
  const visitor = createParley({ baseUrl, workspaceId, apiKey });
  const { agentConfigurations } = await visitor.agents.list({});
  const clerk = agentConfigurations.find(({ name }) => name === "Clerk");
  assert(clerk);
  const { conversation } = await visitor.conversations.create({
    blocking: true,
    message: { content: "What is it?", mentions: [{ configurationId: clerk.sId }] },
  });
  const [answer] = agentMessages(conversation);
  assert.equal(answer?.status, "succeeded");
  assert.match(answer.content ?? "", /21\.00 euros/);
});
