import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";
import type { Doable } from "./doable.ts";
import { describeFunctionMutations } from "./function-mutations.ts";
import { describeSkillMutations } from "./skill-mutations.ts";
import { describeToolMutations } from "./tool-mutations.ts";
import { describeUsageMutations } from "./usage-mutations.ts";
import { describeTriggerMutations } from "./trigger-mutations.ts";
import { describeAlertMutations } from "./alert-mutations.ts";
import { describeTraceMutations } from "./trace-mutations.ts";
import { describeScheduleMutations } from "./schedule-mutations.ts";
import { describeKnowledgeMutations } from "./knowledge-mutations.ts";
import { describeMemoryMutations } from "./memory-mutations.ts";
import { describeSavedViewMutations } from "./saved-view-mutations.ts";
import { describeWebhookMutations } from "./webhook-mutations.ts";

interface Named {
  readonly sId: string;
}

/** Every administrative mutation by its name, each with what it needs to be done. */
export function describeMutations(
  server: () => Server,
  { rpc, operator, create, createAgent }: ReturnType<typeof createCalls>,
): Record<string, () => Promise<Doable>> {
  let emails = 0;
  const newEmail = () => `audited${++emails}@example.com`;
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  const createKey = async () => {
    const { apiKey } = await rpc().apiKeys.create.mutate({ ...ofDemo(), name: "x", role: "user" });
    return apiKey.sId;
  };
  const createOperatorKey = async () =>
    (await operator().operatorKeys.create.mutate({ name: "x" })).operatorKey.sId;
  const createAuditedAgent = () =>
    createAgent("audited", { steps: [{ text: "x" }], tokenDelayMs: 0 });
  const model = { providerId: "simulated", modelId: "simulated-1" };
  return {
    ...describeFunctionMutations(server, rpc),
    ...describeSkillMutations(server, rpc),
    ...describeToolMutations(server),
    ...describeUsageMutations(server, { rpc, operator }),
    ...describeTriggerMutations(server, { rpc }),
    ...describeAlertMutations(server, { rpc }),
    ...describeTraceMutations(server, { rpc }),
    ...describeScheduleMutations(server, { rpc }),
    ...describeSavedViewMutations(server, { rpc }),
    ...describeMemoryMutations(server, { rpc, create }),
    ...describeWebhookMutations(server, { rpc }),
    ...describeKnowledgeMutations(server, { rpc }),
    "workspaces.create": async () => ({
      input: { name: "Audited" },
      subject: ({ workspace }: { workspace: Named }) => workspace.sId,
      asOperator: true,
    }),
    "workspaces.delete": async () => {
      const { workspace } = await operator().workspaces.create.mutate({ name: "Short" });
      const workspaceId = workspace.sId;
      return { input: { wId: workspaceId }, subject: workspaceId, asOperator: true };
    },
    "workspaces.suspend": async () => {
      const { workspace } = await operator().workspaces.create.mutate({ name: "Suspended" });
      return { input: { wId: workspace.sId }, subject: workspace.sId, asOperator: true };
    },
    "workspaces.resume": async () => {
      const { workspace } = await operator().workspaces.create.mutate({ name: "Resumed" });
      await operator().workspaces.suspend.mutate({ wId: workspace.sId });
      return { input: { wId: workspace.sId }, subject: workspace.sId, asOperator: true };
    },
    "workspaces.update": async () => {
      const { wId: workspaceId } = ofDemo();
      return { input: { wId: workspaceId, name: "Demo" }, subject: workspaceId };
    },
    "apiKeys.create": async () => ({
      input: { ...ofDemo(), name: "x", role: "user" },
      subject: ({ apiKey }: { apiKey: Named }) => apiKey.sId,
    }),
    "apiKeys.update": async () => {
      const keyId = await createKey();
      return { input: { ...ofDemo(), keyId, disabled: true }, subject: keyId };
    },
    "apiKeys.revoke": async () => {
      const keyId = await createKey();
      return { input: { ...ofDemo(), keyId }, subject: keyId };
    },
    "apiKeys.rotate": async () => {
      const keyId = await createKey();
      return { input: { ...ofDemo(), keyId, overlapSeconds: 60 }, subject: keyId };
    },
    "operatorKeys.create": async () => ({
      input: { name: "x" },
      subject: ({ operatorKey }: { operatorKey: Named }) => operatorKey.sId,
      asOperator: true,
    }),
    "operatorKeys.rotate": async () => {
      const keyId = await createOperatorKey();
      return { input: { keyId }, subject: keyId, asOperator: true };
    },
    "operatorKeys.revoke": async () => {
      const keyId = await createOperatorKey();
      return { input: { keyId }, subject: keyId, asOperator: true };
    },
    "userTokens.create": async () => ({
      input: { ...ofDemo(), externalId: "audited", scopes: ["files:read"] },
      subject: ({ userToken }: { userToken: Named }) => userToken.sId,
    }),
    "userTokens.revoke": async () => {
      const { userToken } = await rpc().userTokens.create.mutate({
        ...ofDemo(),
        externalId: "audited",
        scopes: ["files:read"],
      });
      return { input: { ...ofDemo(), tokenId: userToken.sId }, subject: () => userToken.sId };
    },
    "functionSecrets.put": async () => ({
      input: { ...ofDemo(), name: "API_TOKEN", value: "secret-not-logged" },
      subject: ({ functionSecret }: { functionSecret: { id: number } }) =>
        String(functionSecret.id),
    }),
    "functionSecrets.remove": async () => {
      const secret = { ...ofDemo(), name: "OLD_TOKEN" };
      const value = "secret-not-logged";
      const { functionSecret } = await rpc().functionSecrets.put.mutate({ ...secret, value });
      return { input: secret, subject: () => String(functionSecret.id) };
    },
    "providerCredentials.put": async () => ({
      input: { ...ofDemo(), providerId: "mistral", apiKey: "sk-not-logged" },
      subject: "mistral",
    }),
    "providerCredentials.remove": async () => {
      const credential = { ...ofDemo(), providerId: "xai" } as const;
      await rpc().providerCredentials.put.mutate({ ...credential, apiKey: "sk-not-logged" });
      return { input: credential, subject: "xai" };
    },
    "members.add": async () => ({
      input: { ...ofDemo(), email: newEmail(), firstName: "Ada" },
      subject: ({ member }: { member: Named }) => member.sId,
    }),
    "members.remove": async () => {
      const ada = { ...ofDemo(), email: newEmail(), firstName: "Ada" };
      const memberId = (await rpc().members.add.mutate(ada)).member.sId;
      return { input: { ...ofDemo(), memberId }, subject: memberId };
    },
    "spaces.create": async () => ({
      input: { ...ofDemo(), name: "x" },
      subject: ({ space }: { space: Named }) => space.sId,
    }),
    "spaces.update": async () => {
      const { spaceId } = server().demo;
      return { input: { ...ofDemo(), spaceId }, subject: spaceId };
    },
    "spaces.delete": async () => {
      const { space } = await rpc().spaces.create.mutate({ ...ofDemo(), name: "short" });
      return { input: { ...ofDemo(), spaceId: space.sId, withContent: true }, subject: space.sId };
    },
    "agents.create": async () => ({
      input: { ...ofDemo(), name: "x", description: "", model },
      subject: (output: { agentConfiguration: Named }) => output.agentConfiguration.sId,
    }),
    "agents.update": async () => {
      const agentId = await createAuditedAgent();
      return { input: { ...ofDemo(), agentId, name: "y" }, subject: agentId };
    },
    "agents.archive": async () => {
      const agentId = await createAuditedAgent();
      return { input: { ...ofDemo(), agentId }, subject: agentId };
    },
    "agents.restore": async () => {
      const agentId = await createAuditedAgent();
      await rpc().agents.archive.mutate({ ...ofDemo(), agentId });
      return { input: { ...ofDemo(), agentId }, subject: agentId };
    },
    "agents.restoreVersion": async () => {
      const agentId = await createAuditedAgent();
      await rpc().agents.update.mutate({ ...ofDemo(), agentId, name: "y" });
      return { input: { ...ofDemo(), agentId, agentVersion: 0, version: 1 }, subject: agentId };
    },
  };
}
