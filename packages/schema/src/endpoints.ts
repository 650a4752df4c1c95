import type { Endpoint } from "./endpoint.ts";
import { activityEndpoints } from "./endpoints/activity.ts";
import { agentEndpoints } from "./endpoints/agents.ts";
import { analyticsEndpoints } from "./endpoints/analytics.ts";
import { apiKeyEndpoints } from "./endpoints/api-keys.ts";
import { auditEndpoints } from "./endpoints/audit.ts";
import { clientServerEndpoints } from "./endpoints/client-servers.ts";
import { conversationEndpoints } from "./endpoints/conversations.ts";
import { dataSourceEndpoints } from "./endpoints/data-sources.ts";
import { documentEndpoints } from "./endpoints/documents.ts";
import { feedbackEndpoints } from "./endpoints/feedbacks.ts";
import { fileEndpoints } from "./endpoints/files.ts";
import { functionSecretEndpoints } from "./endpoints/function-secrets.ts";
import { knowledgeSearchEndpoints } from "./endpoints/knowledge-searches.ts";
import { memberEndpoints } from "./endpoints/members.ts";
import { mentionEndpoints } from "./endpoints/mentions.ts";
import { modelEndpoints } from "./endpoints/models.ts";
import { operatorKeyEndpoints } from "./endpoints/operator-keys.ts";
import { providerCredentialEndpoints } from "./endpoints/provider-credentials.ts";
import { sandboxFunctionEndpoints } from "./endpoints/sandbox-functions.ts";
import { sessionEndpoints } from "./endpoints/sessions.ts";
import { skillEndpoints } from "./endpoints/skills.ts";
import { spaceEndpoints } from "./endpoints/spaces.ts";
import { toolEndpoints } from "./endpoints/tools.ts";
import { userTokenEndpoints } from "./endpoints/user-tokens.ts";
import { workspaceEndpoints } from "./endpoints/workspaces.ts";

/** Every operation of the server; REST routes, procedures and documents derive from it. */
export const endpoints = {
  ...conversationEndpoints,
  ...feedbackEndpoints,
  ...fileEndpoints,
  ...skillEndpoints,
  ...toolEndpoints,
  ...clientServerEndpoints,
  ...sandboxFunctionEndpoints,
  ...functionSecretEndpoints,
  ...agentEndpoints,
  ...mentionEndpoints,
  ...operatorKeyEndpoints,
  ...workspaceEndpoints,
  ...analyticsEndpoints,
  ...apiKeyEndpoints,
  ...userTokenEndpoints,
  ...sessionEndpoints,
  ...memberEndpoints,
  ...spaceEndpoints,
  ...dataSourceEndpoints,
  ...documentEndpoints,
  ...knowledgeSearchEndpoints,
  ...providerCredentialEndpoints,
  ...modelEndpoints,
  ...activityEndpoints,
  ...auditEndpoints,
} as const satisfies Record<string, Endpoint>;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
