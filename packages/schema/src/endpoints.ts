import type { Endpoint } from "./endpoint.ts";
import { apiKeyEndpoints } from "./access/api-keys.ts";
import { memberEndpoints } from "./access/members.ts";
import { operatorKeyEndpoints } from "./access/operator-keys.ts";
import { sessionEndpoints } from "./access/sessions.ts";
import { userTokenEndpoints } from "./access/user-tokens.ts";
import { activityEndpoints } from "./activity/endpoints.ts";
import { alertEndpoints } from "./alerts/endpoints.ts";
import { agentEndpoints } from "./agents/endpoints.ts";
import { mentionEndpoints } from "./agents/mentions.ts";
import { analyticsEndpoints } from "./analytics/analytics.ts";
import { consumptionEndpoints } from "./analytics/consumption-export.ts";
import { auditEndpoints } from "./audit/audit-events.ts";
import { agentTrialEndpoints } from "./conversations/agent-trials.ts";
import { answerEndpoints } from "./conversations/answer-details.ts";
import { conversationEndpoints } from "./conversations/endpoints.ts";
import { feedbackEndpoints } from "./conversations/feedbacks.ts";
import { spaceContentEndpoints } from "./conversations/space-content.ts";
import { recordedRequestEndpoints } from "./conversations/recorded-requests.ts";
import { summaryEndpoints } from "./conversations/summaries.ts";
import { fileEndpoints } from "./files/files.ts";
import { functionAdministrationEndpoints } from "./functions/endpoints.ts";
import { functionSecretEndpoints } from "./functions/function-secrets.ts";
import { sandboxFunctionEndpoints } from "./functions/sandbox-functions.ts";
import { invocationEndpoints } from "./invocations/endpoints.ts";
import { dataSourceEndpoints } from "./knowledge/data-sources.ts";
import { documentEndpoints } from "./knowledge/documents.ts";
import { furtherDocumentEndpoints } from "./knowledge/further-documents.ts";
import { nodeEndpoints } from "./knowledge/nodes.ts";
import { partSearchEndpoints } from "./knowledge/part-search.ts";
import { knowledgeSearchEndpoints } from "./knowledge/searches.ts";
import { tableRowEndpoints } from "./knowledge/table-rows.ts";
import { tableEndpoints } from "./knowledge/tables.ts";
import { memoryEndpoints } from "./memories/endpoints.ts";
import { measureEndpoints } from "./measures/endpoints.ts";
import { skillEndpoints } from "./skills/endpoints.ts";
import { clientServerEndpoints } from "./tools/client-servers.ts";
import { conversationToolEndpoints } from "./tools/conversation-tools.ts";
import { toolEndpoints } from "./tools/endpoints.ts";
import { toolAuthorizationEndpoints } from "./tools/tool-authorizations.ts";
import { toolCallEndpoints } from "./tools/tool-calls.ts";
import { usageEndpoints } from "./usage/endpoints.ts";
import { budgetEndpoints } from "./usage/budgets.ts";
import { priceEndpoints } from "./usage/prices.ts";
import { traceDestinationEndpoints } from "./trace-destinations/endpoints.ts";
import { triggerEndpoints } from "./triggers/endpoints.ts";
import { scheduleEndpoints } from "./schedules/endpoints.ts";
import { traceEndpoints } from "./traces/endpoints.ts";
import { searchEndpoints } from "./search/endpoints.ts";
import { webSourceEndpoints } from "./web-sources/endpoints.ts";
import { webhookEndpoints } from "./webhooks/endpoints.ts";
import { modelEndpoints } from "./workspaces/models.ts";
import { providerCredentialEndpoints } from "./workspaces/provider-credentials.ts";
import { spaceAdministrationEndpoints, spaceEndpoints } from "./workspaces/spaces.ts";
import { workspaceFactEndpoints } from "./workspaces/workspace-facts.ts";
import { workspaceEndpoints } from "./workspaces/workspaces.ts";

/** The operations by their names. It is said beside them: declarations would have to repeat every schema. */
export type Endpoints = typeof conversationEndpoints &
  typeof answerEndpoints &
  typeof summaryEndpoints &
  typeof recordedRequestEndpoints &
  typeof feedbackEndpoints &
  typeof fileEndpoints &
  typeof skillEndpoints &
  typeof conversationToolEndpoints &
  typeof toolAuthorizationEndpoints &
  typeof toolCallEndpoints &
  typeof toolEndpoints &
  typeof clientServerEndpoints &
  typeof sandboxFunctionEndpoints &
  typeof invocationEndpoints &
  typeof functionAdministrationEndpoints &
  typeof functionSecretEndpoints &
  typeof agentEndpoints &
  typeof agentTrialEndpoints &
  typeof mentionEndpoints &
  typeof operatorKeyEndpoints &
  typeof workspaceFactEndpoints &
  typeof workspaceEndpoints &
  typeof analyticsEndpoints &
  typeof consumptionEndpoints &
  typeof usageEndpoints &
  typeof apiKeyEndpoints &
  typeof userTokenEndpoints &
  typeof sessionEndpoints &
  typeof memberEndpoints &
  typeof spaceEndpoints &
  typeof spaceContentEndpoints &
  typeof spaceAdministrationEndpoints &
  typeof dataSourceEndpoints &
  typeof nodeEndpoints &
  typeof webSourceEndpoints &
  typeof documentEndpoints &
  typeof furtherDocumentEndpoints &
  typeof tableEndpoints &
  typeof tableRowEndpoints &
  typeof knowledgeSearchEndpoints &
  typeof partSearchEndpoints &
  typeof providerCredentialEndpoints &
  typeof modelEndpoints &
  typeof priceEndpoints &
  typeof budgetEndpoints &
  typeof triggerEndpoints &
  typeof webhookEndpoints &
  typeof scheduleEndpoints &
  typeof alertEndpoints &
  typeof measureEndpoints &
  typeof memoryEndpoints &
  typeof traceDestinationEndpoints &
  typeof activityEndpoints &
  typeof traceEndpoints &
  typeof searchEndpoints &
  typeof auditEndpoints;
export type EndpointName = keyof Endpoints;

/** Every operation of the server; REST routes, procedures and documents derive from it. */
export const endpoints: Endpoints = {
  ...conversationEndpoints,
  ...answerEndpoints,
  ...summaryEndpoints,
  ...recordedRequestEndpoints,
  ...feedbackEndpoints,
  ...fileEndpoints,
  ...skillEndpoints,
  ...conversationToolEndpoints,
  ...toolAuthorizationEndpoints,
  ...toolCallEndpoints,
  ...toolEndpoints,
  ...clientServerEndpoints,
  ...sandboxFunctionEndpoints,
  ...invocationEndpoints,
  ...functionAdministrationEndpoints,
  ...functionSecretEndpoints,
  ...agentEndpoints,
  ...agentTrialEndpoints,
  ...mentionEndpoints,
  ...operatorKeyEndpoints,
  ...workspaceFactEndpoints,
  ...workspaceEndpoints,
  ...analyticsEndpoints,
  ...consumptionEndpoints,
  ...usageEndpoints,
  ...apiKeyEndpoints,
  ...userTokenEndpoints,
  ...sessionEndpoints,
  ...memberEndpoints,
  ...spaceEndpoints,
  ...spaceContentEndpoints,
  ...spaceAdministrationEndpoints,
  ...dataSourceEndpoints,
  ...nodeEndpoints,
  ...webSourceEndpoints,
  ...documentEndpoints,
  ...furtherDocumentEndpoints,
  ...tableEndpoints,
  ...tableRowEndpoints,
  ...knowledgeSearchEndpoints,
  ...partSearchEndpoints,
  ...providerCredentialEndpoints,
  ...modelEndpoints,
  ...priceEndpoints,
  ...budgetEndpoints,
  ...triggerEndpoints,
  ...webhookEndpoints,
  ...scheduleEndpoints,
  ...alertEndpoints,
  ...measureEndpoints,
  ...memoryEndpoints,
  ...traceDestinationEndpoints,
  ...activityEndpoints,
  ...traceEndpoints,
  ...searchEndpoints,
  ...auditEndpoints,
} satisfies Record<string, Endpoint>;
