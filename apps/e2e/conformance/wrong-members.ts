import type { ErrorType } from "@parley/schema";

export const nobody = "nobody";
/** Nothing listens there. */
export const silent = "http://127.0.0.1:9/mcp";
const inline = { title: "t", contentType: "text/plain" };
const file = { contentType: "text/plain", fileName: "x", fileSize: 1, useCase: "x" };
export const unknownModel = { providerId: "simulated", modelId: "nobody" };

/** Which members of an input name what an error says is not there, or is there already. */
export const members: Partial<Record<ErrorType, Readonly<Record<string, unknown>>>> = {
  workspace_not_found: { wId: nobody },
  conversation_not_found: { cId: nobody, conversationId: nobody },
  message_not_found: { mId: nobody, afterMessageId: nobody },
  summary_not_found: { number: 999 },
  request_not_recorded: { n: 999 },
  sandbox_function_not_found: { functionId: nobody, functionIds: [nobody] },
  sandbox_function_invocation_not_found: { invocationId: nobody },
  run_not_found: { runId: nobody },
  skill_not_found: { skillId: nobody, skillIds: [nobody] },
  space_not_found: { spaceId: nobody, spaceIds: [nobody] },
  member_not_found: { memberId: nobody, editorIds: [nobody] },
  file_not_found: {
    fileId: nobody,
    fileIds: [nobody],
    contentFragment: { ...inline, fileId: nobody },
    contentFragments: [{ ...inline, fileId: nobody }],
  },
  file_type_not_supported: { ...file, contentType: "application/x-msdownload" },
  file_too_large: { ...file, fileSize: 2 ** 40 },
  user_token_not_found: { tokenId: nobody },
  mcp_server_not_found: { serverId: nobody },
  tool_not_found: { toolId: nobody, toolIds: [nobody], mcp_server_view_id: nobody },
  tool_unreachable: { url: silent },
  api_key_not_found: { keyId: nobody, keyIds: [nobody] },
  agent_not_found: { agentId: nobody, sId: nobody },
  data_source_not_found: { dsId: nobody },
  data_source_document_not_found: { documentId: nobody, folderId: nobody, nodeId: nobody },
  data_source_quota_error: { documentId: nobody, folderId: nobody, table_id: nobody },
  table_not_found: { tableId: nobody, rowId: nobody },
  data_source_view_not_found: {
    dsvId: nobody,
    dataSourceViewId: nobody,
    nodeId: "n",
    nodeDataSourceViewId: nobody,
    contentFragment: { ...inline, nodeId: "n", nodeDataSourceViewId: nobody },
    contentFragments: [{ ...inline, nodeId: "n", nodeDataSourceViewId: nobody }],
  },
  version_conflict: { version: 999 },
  model_disabled: {
    modelId: nobody,
    mentions: [],
    model: unknownModel,
    generation_settings: { provider_id: "simulated", model_id: nobody },
    modelSelection: unknownModel,
    models: [unknownModel],
  },
  sandbox_function_secret_not_found: { name: nobody },
  provider_credential_not_found: { providerId: "mistral" },
  price_not_found: { modelId: "gpt-5-mini" },
  budget_not_found: { budgetId: nobody },
  trigger_not_found: { triggerId: nobody, tId: nobody },
  trigger_event_not_found: { eventId: nobody },
  alert_not_found: { alertId: nobody },
  schedule_not_found: { scheduleId: nobody },
  web_source_not_found: { webSourceId: nobody },
  memory_not_found: { memoryId: nobody },
  memory_proposal_not_found: { proposalId: nobody },
  saved_view_not_found: { savedViewId: nobody },
  trace_destination_not_found: { traceDestinationId: nobody },
  webhook_not_found: { webhookId: nobody },
  member_already_exists: { email: "ada@parley.test" },
  sandbox_function_already_exists: { slug: "add" },
};
