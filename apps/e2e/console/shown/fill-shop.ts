import { agentMessages, createParley, createRpcClient } from "parley-client";
import { eventually, type Server } from "../../server.ts";
import { createCalls } from "../../siblings/calls.ts";
import type { ShopServer } from "../../tools/shop-server.ts";
import { startReceiver } from "../../webhooks/receiver.ts";
import { fillSchedules } from "./fill-schedules.ts";
import { fillTriggers } from "./fill-triggers.ts";
import { agents, documents, functions, members, shippingCosts, skills } from "./shop-data.ts";

/** The ids that detail pages show. */
export interface ShownIds {
  readonly conversationId: string;
  readonly agentId: string;
  readonly functionId: string;
  /** Of a function with code. */
  readonly codeId: string;
  readonly invocationId: string;
  readonly skillId: string;
  readonly toolId: string;
  readonly spaceId: string;
  readonly viewId: string;
  readonly webhookId: string;
  readonly scheduleId: string;
  readonly triggerId: string;
}

/** Fills the demo workspace with a made-up shop: something in every state, for every page. */
export async function fillShop(server: Server, shop: ShopServer): Promise<ShownIds> {
  const calls = createCalls(() => server);
  const rpc = calls.rpc();
  const { workspaceId: wId, spaceId } = server.demo;
  const invocationId = await fillFunctions(server);
  const { tool } = await rpc.tools.register.mutate({
    wId,
    spaceId,
    url: shop.url,
    name: "Shoe shop",
    description: "Finds and orders shoes",
    defaultStake: "low",
    headers: { "X-Shop-Key": "open-sesame" },
  });
  const skillId = await fillSkills(server);
  const viewId = await fillKnowledge(server);
  await fillAdministration(server);
  const webhook = await openWebhook(server);
  const create = async (name: keyof typeof agents) => {
    const { agentConfiguration } = await rpc.agents.create.mutate({
      wId,
      ...agents[name],
      skillIds: [skillId],
      asksUser: name === "sizes",
      model: { providerId: "simulated", modelId: "simulated-1" },
    });
    return agentConfiguration.sId;
  };
  const clerk = await create("clerk");
  const refunder = await create("refunder");
  const sizes = await create("sizes");
  const ask = async (content: string, agentId: string, blocking = true) =>
    (await calls.create(content, [agentId], { blocking })).conversation.sId;
  await ask("Do you sell laces, too?", "helper");
  await ask("Is the shop open on Sunday?", "faulty");
  await ask("The parcel with order 1042 is on its way back to you.", refunder, false);
  await ask("I need shoes for the mountains.", sizes, false);
  await eventually(async () => {
    const { blockedActions } = await rpc.actions.listBlocked.query({ wId });
    return blockedActions.length === 2 ? { value: true } : {};
  }, 20_000);
  const conversationId = await ask("Where is my order 1042?", clerk);
  await rateAnswer(server, conversationId);
  const instructions = `${agents.clerk.instructions}\n\nAnswer in two sentences.`;
  await rpc.agents.update.mutate({ wId, agentId: clerk, instructions });
  const scheduleId = await fillSchedules(server, server.demo.adminKey);
  const triggerId = await fillTriggers(server, server.demo.adminKey);
  const webhookId = await webhook.settle();
  return {
    conversationId,
    agentId: clerk,
    functionId: "find-order",
    codeId: "shipping-costs",
    invocationId,
    skillId,
    toolId: tool.sId,
    spaceId,
    viewId,
    webhookId,
    scheduleId,
    triggerId,
  };
}

/** Asks an agent of the shop and invokes a function of it with another key. */
export async function useAgents(
  { url, demo }: Server,
  apiKey: string,
): Promise<Pick<ShownIds, "conversationId" | "invocationId">> {
  const parley = createParley({ baseUrl: url, apiKey, workspaceId: demo.workspaceId });
  const { conversation } = await parley.conversations.create({
    message: { content: "Do you sell laces, too?", mentions: [{ configurationId: "helper" }] },
    blocking: true,
  });
  const { invocation } = await parley.functions.invoke({
    functionId: "find-order",
    input: { orderId: "7" },
  });
  return { conversationId: conversation.sId, invocationId: invocation.sId };
}

/** Gives feedback on the answer of a conversation. */
async function rateAnswer({ url, demo }: Server, conversationId: string): Promise<void> {
  const { workspaceId, adminKey: apiKey } = demo;
  const parley = createParley({ baseUrl: url, apiKey, workspaceId });
  const { conversation } = await parley.conversations.get({ conversationId });
  const messageId = agentMessages(conversation)[0]?.sId ?? "";
  const feedbackContent = "Found the order at once";
  await parley.feedbacks.give({ conversationId, messageId, thumbDirection: "up", feedbackContent });
}

/** Creates the functions, invokes them, and gives an invocation that has succeeded. */
async function fillFunctions(server: Server): Promise<string> {
  const { workspaceId: wId } = server.demo;
  const rpc = createCalls(() => server).rpc();
  let shown: string | undefined;
  for (const { slug, description, behaviour, inputs, requiresApproval } of functions) {
    await rpc.sandboxFunctions.create.mutate({
      wId,
      slug,
      description,
      program: { type: "simulated", behaviour },
      ...(requiresApproval && { requiresApproval }),
    });
    for (const input of inputs) {
      const { invocation } = await rpc.sandboxFunctions.invoke.mutate({
        wId,
        functionId: slug,
        input: { ...input },
      });
      shown ??= invocation.sId;
    }
  }
  const slug = "shipping-costs";
  const description = "Says what a parcel costs";
  for (const [version, source] of shippingCosts.entries()) {
    const program = { type: "javascript", source } as const;
    await (version === 0
      ? rpc.sandboxFunctions.create.mutate({ wId, slug, description, program })
      : rpc.sandboxFunctions.update.mutate({ wId, functionId: slug, version, program }));
  }
  const invocationId = shown ?? "";
  await eventually(async () => {
    const { invocation } = await rpc.invocations.get.query({
      wId,
      functionId: "find-order",
      invocationId,
    });
    return invocation.status === "succeeded" ? { value: true } : {};
  }, 20_000);
  return invocationId;
}

async function fillSkills({ url, demo }: Server): Promise<string> {
  const { workspaceId: wId, adminKey: apiKey } = demo;
  const parley = createParley({ baseUrl: url, apiKey, workspaceId: wId });
  const { imported } = await parley.skills.import({
    status: "active",
    availability: "users_and_agents",
    files: Object.entries(skills).map(([name, text]) => ({
      path: `${name}/SKILL.md`,
      content: new Blob([text]),
    })),
  });
  const rpc = createRpcClient({ url, apiKey });
  await rpc.skills.create.mutate({
    wId,
    name: "price-list",
    agentFacingDescription: "What each shoe costs, from the newest list of the makers.",
  });
  const skillId = imported.find(({ name }) => name === "answer-politely")?.sId ?? "";
  const { version, skill } = await rpc.skills.get.query({ wId, skillId });
  await rpc.skills.update.mutate({
    wId,
    skillId,
    version,
    instructions: `${skill.instructions}\n\nEnd with a question.`,
  });
  return skillId;
}

async function fillKnowledge({ url, demo }: Server): Promise<string> {
  const { workspaceId: wId, spaceId, adminKey: apiKey } = demo;
  const parley = createParley({ baseUrl: url, apiKey, workspaceId: wId });
  const rpc = createRpcClient({ url, apiKey });
  const view = { wId, spaceId, name: "Handbook of the shop" };
  const { dataSourceView } = await rpc.dataSourceViews.create.mutate(view);
  const dsId = dataSourceView.dataSourceId;
  for (const document of documents) await parley.documents.upsert({ dsId, ...document });
  return dataSourceView.sId;
}

/** Creates a webhook that a server of the shop answers, until it is settled: then its deliveries have been sent. */
async function openWebhook(server: Server) {
  const receiver = await startReceiver((response, { json }) => {
    response.writeHead(json.type === "message.failed" ? 503 : 204).end();
  });
  const { webhooks } = createCalls(() => server).rpc();
  const { workspaceId: wId } = server.demo;
  const { webhook } = await webhooks.create.mutate({
    wId,
    url: receiver.url,
    description: "Orders of the web shop",
    events: ["message.succeeded", "message.failed", "approval.requested"],
  });
  const named = { wId, webhookId: webhook.sId };
  const away = { wId, url: "https://old.shop.example/", events: ["budget.exceeded" as const] };
  const { webhook: old } = await webhooks.create.mutate(away);
  await webhooks.update.mutate({ wId, webhookId: old.sId, version: 0, isEnabled: false });
  const settle = async (): Promise<string> => {
    await eventually(async () => {
      const { deliveries } = await webhooks.listDeliveries.query(named);
      const isSent = deliveries.every(({ attempts }) => attempts.length > 0);
      return deliveries.length > 3 && isSent ? { value: true } : {};
    }, 20_000);
    await receiver.close();
    const { version } = (await webhooks.get.query(named)).webhook;
    const url = "https://shop.example/parley-events";
    await webhooks.update.mutate({ ...named, version, url });
    return webhook.sId;
  };
  return { settle };
}

async function fillAdministration({ url, demo }: Server): Promise<void> {
  const { workspaceId: wId, adminKey: apiKey } = demo;
  const rpc = createRpcClient({ url, apiKey });
  for (const member of members) await rpc.members.add.mutate({ wId, ...member });
  const collector = { name: "Collector", url: "https://collector.example/v1/traces" };
  await rpc.traceDestinations.create.mutate({ wId, ...collector, isEnabled: false });
  const accounts = { wId, name: "Accounts", isRestricted: true };
  const { space } = await rpc.spaces.create.mutate(accounts);
  await rpc.spaces.create.mutate({ wId, name: "Warehouse" });
  await rpc.apiKeys.create.mutate({
    wId,
    name: "web shop",
    role: "builder",
    spaceIds: [space.sId],
    expiresAt: Date.UTC(2099, 0, 1),
  });
  const { apiKey: old } = await rpc.apiKeys.create.mutate({ wId, name: "till", role: "user" });
  await rpc.apiKeys.update.mutate({ wId, keyId: old.sId, disabled: true });
  for (const name of ["SHOP_TOKEN", "WAREHOUSE_PASSWORD"]) {
    await rpc.functionSecrets.put.mutate({ wId, name, value: "secret-not-logged" });
  }
  const credential = { wId, providerId: "mistral", apiKey: "sk-not-logged" } as const;
  await rpc.providerCredentials.put.mutate(credential);
  const budget = { wId, period: "month", timezone: "Europe/Paris" } as const;
  await rpc.budgets.create.mutate({ ...budget, name: "Shop", scope: "workspace", limit: "250" });
  const ofUsers = { ...budget, name: "Customers", scope: "user", isHard: false } as const;
  await rpc.budgets.create.mutate({ ...ofUsers, limit: "2.5" });
  const operator = createRpcClient({ url, apiKey: demo.operatorKey });
  const { workspace } = await operator.workspaces.create.mutate({ name: "Boots and more" });
  await operator.workspaces.suspend.mutate({ wId: workspace.sId });
  await operator.workspaces.create.mutate({ name: "Sandals" });
  await operator.operatorKeys.create.mutate({ name: "Ada" });
}
