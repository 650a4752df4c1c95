/** Calls of the tools of servers by people: invocations, as the calls of agents are. */
import {
  type CallTool,
  type InvokedSandboxFunction,
  invalidRequest,
  ParleyError,
} from "@parley/schema";
import { ownedBy } from "../access/ownership.ts";
import type { Context } from "../context.ts";
import { checkInput } from "../functions/check-values.ts";
import type { KeyedContext } from "../idempotency.ts";
import type { RunServices } from "../runs/run-capacity.ts";
import { readRemoteServers } from "../tools/called-servers.ts";
import { findAuthorization } from "../tools/personal-tokens.ts";
import { requireServer } from "../tools/tool-authorizations.ts";
import { isPersonal } from "../tools/tool-connections.ts";
import { replayInvocation, startInvocation } from "./invoke.ts";
import { buildInvocation } from "./new-invocations.ts";
import type { InvocationServices } from "./write-invocations.ts";

type CallContext = KeyedContext & InvocationServices & RunServices;
type Input = CallTool & { readonly toolId: string };

/**
 * Calls one of the tools of a server, and waits for the outcome as long as the caller prefers. Arguments that its
 * schema refuses end the call as `invalid_input`. Throws `tool_not_found`, `invalid_request_error` if the server
 * offers no such tool, and `tool_unreachable` if the caller has not allowed a tool of users.
 */
export async function callToolByHand(
  context: CallContext,
  input: Input,
): Promise<InvokedSandboxFunction> {
  const { caller, database, signal } = context;
  const workspaceId = caller.workspace.id;
  const { tool, connection } = await requireServer(context, database.db, input);
  if (isPersonal(connection)) await requireAuthorization(context, tool.id);
  const [server] = await readRemoteServers(context, { workspaceId, toolIds: [tool.id] });
  const offered = server?.offered.find(({ name }) => name === input.name);
  if (server === undefined || offered === undefined) {
    const message = `the server offers no tool ${input.name}: refresh its tools, or use one that it offers`;
    throw invalidRequest("body", [{ path: "name", message }]);
  }
  const sandboxFunction = server.functionOf(input.name);
  const { inputSchema } = offered;
  const checked = await checkInput(
    context,
    { definition: { inputSchema }, input: input.arguments },
    { workspaceId, origin: "request", signal },
  );
  const name = JSON.stringify(input.name);
  const created = buildInvocation(context, {
    sandboxFunction,
    workspaceId,
    ...ownedBy(caller),
    actionId: null,
    input: { ...checked, json: `{"name":${name},"arguments":${checked.json}}` },
    timezone: null,
  });
  return startInvocation(context, { created, functionId: sandboxFunction.sid });
}

/** Replays a call. Throws `tool_not_found`. */
export async function replayToolCall(
  context: Context,
  input: Input,
  invocationId: string,
): Promise<InvokedSandboxFunction> {
  await requireServer(context, context.database.db, input);
  return replayInvocation(context, { functionId: input.toolId, input: null }, invocationId);
}

async function requireAuthorization(context: Context, toolId: number): Promise<void> {
  const { db } = context.database;
  const found = await findAuthorization(db, { toolId, userId: context.caller.user.id });
  if (found !== undefined) return;
  throw new ParleyError(
    "tool_unreachable",
    "toolId: you have not authorized the tool: start with toolAuthorizations.start",
  );
}
