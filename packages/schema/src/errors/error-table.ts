import type { ErrorRow } from "./error-row.ts";
import { type RpcCode, rpcCodes } from "./rpc-codes.ts";
import { observationRows } from "./observation-rows.ts";
import { triggerRows } from "./trigger-rows.ts";

const rows = {
  not_found: {
    status: 404,
    cause: "No route of the server has this path.",
    cure: "Compare the path with the reference at `/docs/api`; paths are case-sensitive.",
  },
  method_not_supported_error: {
    status: 405,
    cause: "The path is known, but not with this method.",
    cure: "Use a method that the header `Allow` names.",
  },
  not_authenticated: {
    status: 401,
    cause: "The request has no `Authorization` header.",
    cure: "Send `Authorization: Bearer <API key>`.",
  },
  malformed_authorization_header_error: {
    status: 401,
    cause: "The header is not `Bearer`, a space and a key (`sk-…`) or a user's token (`ut-…`).",
    cure: "Send the credential as it was shown when it was created, without quotes.",
  },
  invalid_api_key_error: {
    status: 401,
    cause: "The key or token is unknown, disabled, revoked or expired.",
    cure: "Ask an admin of the workspace for a valid key, or your application for a new token.",
  },
  workspace_auth_error: {
    status: 401,
    cause:
      "The key is not one of the workspace in the path, whether or not there is such a workspace; or it is an operator's, and the path names none.",
    cure: "Use a key of that workspace, or the id of the key's own.",
  },
  workspace_suspended: {
    status: 403,
    cause: "An operator of the server has suspended the workspace of the key or token.",
    cure: "Ask the operator to resume it; nothing in it is lost.",
  },
  rate_limit_error: {
    status: 429,
    retryable: true,
    cause: "A limit on calls or on open streams is used up, or the server has too much to do.",
    cure: "Wait as many seconds as `Retry-After` says, then send the same request again.",
  },
  service_unavailable: {
    status: 503,
    retryable: true,
    cause: "The server is shutting down, or its database does not answer or takes no writes.",
    cure: "Send the same request again after `Retry-After` seconds.",
  },
  budget_exceeded: {
    status: 429,
    cause:
      "A budget of money is used up, of the server, the workspace, the key, the user, the agent or the conversation; or one of tool calls or processor time; or the workspace, or the user, stores as much as it may.",
    cure: "Wait until the end of the period that the message and `Retry-After` name, if there is one, or ask an admin to raise the limit; of storage, delete what is no longer needed. Do not retry it before.",
  },
  request_timeout: {
    status: 408,
    retryable: true,
    cause: "The request did not arrive in time, or stood still for too long.",
    cure: "Send it again, as a whole; upload long content over a better connection.",
  },
  content_too_large: {
    status: 413,
    cause: "The body is over 8 MiB.",
    cure: "Send less, or upload long content as a file.",
  },
  invalid_request_error: {
    status: 400,
    cause: "The path, the query or the body breaks its schema.",
    cure: "Correct the fields that `issues` names.",
  },
  app_auth_error: {
    status: 403,
    cause: "The role of the key is too low for the operation, or the token lacks its scope.",
    cure: "Use a key with the role, or a token with the scope, that the operation asks for.",
  },
  model_disabled: {
    status: 400,
    cause: "A model is unknown, not enabled for the workspace, or outside of its region.",
    cure: "Select an enabled model, or none, and ask an admin to enable it.",
  },
  space_not_found: {
    status: 400,
    cause: "There is no such space, or the key does not reach it.",
    cure: "Take the id from the list of spaces.",
  },
  space_not_empty: {
    status: 409,
    cause: "The space holds conversations, tools or data source views.",
    cure: "Delete these, or delete the space `withContent`.",
  },
  data_source_view_not_found: {
    status: 400,
    cause:
      "There is no such data source view, or it has no such node, or the key does not reach it.",
    cure: "Check both ids, and the spaces that the key reaches.",
  },
  data_source_not_found: {
    status: 404,
    cause: "There is no such data source, or the key does not reach its space.",
    cure: "Take the id from the list of data sources.",
  },
  data_source_document_not_found: {
    status: 404,
    cause: "The data source has no such document or folder.",
    cure: "Use the id that it was uploaded with, under the same data source.",
  },
  table_not_found: {
    status: 404,
    cause: "The data source has no such table, or the table has no such row.",
    cure: "Use the ids of the lists of tables and of rows.",
  },
  data_source_quota_error: {
    status: 403,
    cause: "The data source, or the workspace, holds as much as it may.",
    cure: "Delete what is no longer needed, or ask the operator for a higher limit.",
  },
  file_not_found: {
    status: 404,
    cause: "There is no such file, or the caller does not reach it.",
    cure: "Announce the file, upload its bytes, and use the id of the answer.",
  },
  file_type_not_supported: {
    status: 400,
    cause: "Files of this type are not accepted, or the content is of another type than announced.",
    cure: "Announce the file with its own type, one of those that the message and the guide list.",
  },
  file_too_large: {
    status: 400,
    cause: "The file is larger than files of its type may be.",
    cure: "Upload a smaller file; the message names the largest size.",
  },
  conversation_not_found: {
    status: 404,
    cause: "There is no such conversation, it was deleted, or the caller does not reach it.",
    cure: "Take the id from the answer that created it, or from the list.",
  },
  message_not_found: {
    status: 404,
    cause: "The conversation has no such message.",
    cure: "Take the id from the conversation as it now is.",
  },
  summary_not_found: {
    status: 404,
    cause: "The conversation has no summary of this number.",
    cure: "Take the number from the list of its summaries.",
  },
  request_not_recorded: {
    status: 404,
    cause:
      "No request of this step is recorded: the model is simulated, the workspace does not record requests, the step has " +
      "sent none, or its retention has passed.",
    cure: "Read the steps of an answer by a service's model, and see the setting `recordsRequests` of the workspace.",
  },
  sandbox_function_not_found: {
    status: 404,
    cause: "There is no such function, or it is archived.",
    cure: "Take its id or slug from the list of functions.",
  },
  sandbox_function_invocation_not_found: {
    status: 404,
    cause: "The function has no such invocation.",
    cure: "Use the id that the invoke operation returned, under the same function.",
  },
  run_not_found: {
    status: 404,
    cause: "There is no such run, or the caller does not reach it.",
    cure: "Take the id from the list of runs, or from the answer that began it.",
  },
  sandbox_function_already_exists: {
    status: 409,
    cause: "Another function has the slug.",
    cure: "Choose another slug, or update that function.",
  },
  skill_not_found: {
    status: 404,
    cause: "There is no such skill.",
    cure: "Take the id from the list of skills.",
  },
  skill_already_exists: {
    status: 409,
    cause: "The workspace has skills with these names, and the import refuses them.",
    cure: "Import with `onConflict` `skip` or `override`, or rename the skill.",
  },
  workspace_not_found: {
    status: 404,
    cause: "There is no such workspace, or the key does not administer it.",
    cure: "Check the id of the workspace and the key.",
  },
  api_key_not_found: {
    status: 404,
    cause: "The workspace has no such key, or the server no such operator key.",
    cure: "Take the id from the list of keys.",
  },
  user_token_not_found: {
    status: 404,
    cause: "The workspace has no such user token, it has expired, or another key has created it.",
    cure: "Take the id from the answer that created it.",
  },
  agent_not_found: {
    status: 404,
    cause: "The workspace has no such agent that can be changed.",
    cure: "Take the id from the list of agents.",
  },
  sandbox_function_secret_not_found: {
    status: 404,
    cause: "The workspace has no such secret for functions.",
    cure: "List their names with `functionSecrets.list`.",
  },
  provider_credential_not_found: {
    status: 404,
    cause: "The workspace has no credential of its own for the provider.",
    cure: "List its credentials with `providerCredentials.list`.",
  },
  price_not_found: {
    status: 404,
    cause: "The workspace, or the server's operators, have set no price of the model.",
    cure: "List the prices with `prices.list`; those that are shipped cannot be removed.",
  },
  budget_not_found: {
    status: 404,
    cause: "The workspace, or the server, has no such budget.",
    cure: "Take the id from the list of budgets.",
  },
  schedule_not_found: {
    status: 404,
    cause: "The workspace has no such schedule.",
    cure: "Take the id from the list of schedules.",
  },
  webhook_not_found: {
    status: 404,
    cause: "The workspace has no such webhook.",
    cure: "Take the id from the list of webhooks.",
  },
  ...observationRows,
  ...triggerRows,
  member_not_found: {
    status: 404,
    cause: "The workspace has no such member.",
    cure: "Take the id from the list of members.",
  },
  member_already_exists: {
    status: 409,
    cause: "The e-mail address is a member's already.",
    cure: "Use the member that there is.",
  },
  tool_unreachable: {
    status: 422,
    cause: "The MCP server does not answer as one, or may not be called; the message says why.",
    cure: "Check its URL and its headers, and whether the server's operator allows its address.",
  },
  mcp_server_not_found: {
    status: 404,
    cause:
      "The caller has registered no such server in a client, or it sent no heartbeat for 5 minutes.",
    cure: "Register it again, and name the new id in messages.",
  },
  tool_not_found: {
    status: 404,
    cause: "The workspace has no such tool.",
    cure: "Take the id from the list of tools.",
  },
  version_conflict: {
    status: 409,
    cause: "Somebody else has changed it since it was read.",
    cure: "Read it again, and change the version that it now has.",
  },
  idempotency_key_mismatch: {
    status: 422,
    cause: "The `Idempotency-Key` was used for another body.",
    cure: "Use a new key for each new request.",
  },
  idempotency_key_in_use: {
    status: 409,
    retryable: true,
    cause: "The first request with the `Idempotency-Key` is still being worked on.",
    cure: "Send the same request again after `Retry-After` seconds.",
  },
  internal_server_error: {
    status: 500,
    cause: "The server failed.",
    cure: "Give the `request_id` to the operator, who finds the cause in the log.",
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorType = keyof typeof rows;

/** Every error type of the public interface; all transports derive from it. */
export const errorTable = Object.fromEntries(
  Object.entries<ErrorRow>(rows).map(([type, row]) => {
    return [type, { retryable: false, ...row, rpcCode: rpcCodes[row.status] }];
  }),
) as Readonly<Record<ErrorType, Required<ErrorRow> & { readonly rpcCode: RpcCode }>>;
