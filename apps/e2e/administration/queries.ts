import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";
import type { Doable } from "./doable.ts";
import { describeToolQueries } from "./tool-mutations.ts";
import { describeUsageQueries } from "./usage-mutations.ts";
import { describeTriggerQueries } from "./trigger-mutations.ts";
import { describeAlertQueries } from "./alert-mutations.ts";
import { describeTraceQueries } from "./trace-mutations.ts";
import { describeScheduleQueries } from "./schedule-mutations.ts";
import { describeKnowledgeQueries } from "./knowledge-mutations.ts";
import { describeMemoryMutations } from "./memory-mutations.ts";
import { describeWebhookQueries } from "./webhook-mutations.ts";

/** Every administrative query by its name, each with an input that it answers. */
export function describeQueries(
  server: () => Server,
  { rpc, create }: ReturnType<typeof createCalls>,
): Record<string, () => Promise<Pick<Doable, "input" | "asOperator">>> {
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  const inDemo = async () => ({ input: ofDemo() });
  const ofNewSkill = async () => {
    const skill = { ...ofDemo(), name: "read", agentFacingDescription: "x" };
    const { skill: created } = await rpc().skills.create.mutate(skill);
    return { input: { ...ofDemo(), skillId: created.sId } };
  };
  return {
    "agents.getDefinition": async () => ({ input: { ...ofDemo(), agentId: "helper" } }),
    "agents.getVersion": async () => ({
      input: { ...ofDemo(), agentId: "helper", agentVersion: 0 },
    }),
    "agents.listVersions": async () => ({ input: { ...ofDemo(), agentId: "helper", limit: 2 } }),
    "agents.listAll": async () => ({ input: { ...ofDemo(), limit: 2, status: "active" } }),
    "apiKeys.list": inDemo,
    "audit.list": async () => ({ input: { ...ofDemo(), limit: 5, since: 0 } }),
    ...describeKnowledgeQueries(server, { rpc }),
    "feedbacks.list": async () => ({ input: { ...ofDemo(), limit: 2, order: "newest" } }),
    "members.list": inDemo,
    "files.list": inDemo,
    "models.list": inDemo,
    "operatorKeys.list": async () => ({ input: { limit: 2 }, asOperator: true }),
    "functionSecrets.list": inDemo,
    "providerCredentials.list": inDemo,
    "knowledge.status": inDemo,
    "conversations.listAll": async () => ({ input: { ...ofDemo(), limit: 2, title: "a" } }),
    "overview.get": async () => ({ input: { ...ofDemo(), window: "day" } }),
    "overview.getServer": async () => ({ input: { window: "hour" }, asOperator: true }),
    "memories.get": async () => {
      const { input } = await describeMemoryMutations(server, { rpc, create })[
        "memories.remove"
      ]!();
      const { wId, memoryId } = input as { wId: string; memoryId: string };
      return { input: { wId, memoryId } };
    },
    "memories.list": async () => ({ input: { ...ofDemo(), limit: 2, scope: "agent" } }),
    "memories.listProposals": async () => ({ input: { ...ofDemo(), limit: 2 } }),
    "savedViews.list": async () => ({ input: { ...ofDemo(), page: "runs" } }),
    "search.ids": async () => ({ input: { ...ofDemo(), id: "nothing" } }),
    "search.messages": async () => ({ input: { ...ofDemo(), query: "hello" } }),
    "runs.list": async () => ({ input: { ...ofDemo(), limit: 2, status: "succeeded" } }),
    "runs.listServer": async () => ({ input: { limit: 2, status: "succeeded" }, asOperator: true }),
    "messages.getTrace": async () => {
      const message = { content: "Hello", mentions: [{ configurationId: "helper" }] };
      const asked = { ...ofDemo(), message, blocking: true };
      const { conversation } = await rpc().conversations.create.mutate(asked);
      const mId = conversation.content[1]?.[0]?.sId ?? "";
      return { input: { ...ofDemo(), cId: conversation.sId, mId } };
    },
    "runs.getTrace": async () => {
      const call = { ...ofDemo(), functionId: "add", input: { a: 1, b: 2 } };
      const { invocation } = await rpc().sandboxFunctions.invoke.mutate(call);
      return { input: { ...ofDemo(), runId: invocation.sId } };
    },
    "runs.get": async () => {
      const call = { ...ofDemo(), functionId: "add", input: { a: 1, b: 2 } };
      const { invocation } = await rpc().sandboxFunctions.invoke.mutate(call);
      return { input: { ...ofDemo(), runId: invocation.sId } };
    },
    "sandboxFunctions.get": async () => ({ input: { ...ofDemo(), functionId: "add" } }),
    "sandboxFunctions.listVersions": async () => ({
      input: { ...ofDemo(), functionId: "add", limit: 2 },
    }),
    "sandboxFunctions.listAll": async () => ({ input: { ...ofDemo(), limit: 2 } }),
    "skills.get": ofNewSkill,
    "skills.listVersions": ofNewSkill,
    "spaces.get": async () => ({ input: { ...ofDemo(), spaceId: server().demo.spaceId } }),
    "spaces.listAll": async () => ({ input: { ...ofDemo(), limit: 2 } }),
    ...describeToolQueries(server),
    ...describeUsageQueries(server, { rpc }),
    ...describeTriggerQueries(server, { rpc }),
    ...describeAlertQueries(server, { rpc }),
    ...describeTraceQueries(server, { rpc }),
    ...describeScheduleQueries(server, { rpc }),
    ...describeWebhookQueries(server, { rpc }),
    "tools.list": inDemo,
    "usage.get": async () => ({
      input: { ...ofDemo(), startDate: "2026-01-01", endDate: "2026-01-31", by: "agent" },
    }),
    "usage.getServer": async () => ({
      input: { startDate: "2026-01-01", endDate: "2026-01-31" },
      asOperator: true,
    }),
    "workspaces.get": inDemo,
    "workspaces.list": async () => ({ input: { limit: 2 }, asOperator: true }),
    "workspaces.usage": inDemo,
  };
}
