import { CommandError } from "@parley/command/command-error";
import { describeMisunderstanding } from "@parley/command/failures";
import { oneLine } from "@parley/command/print";

/** What to do about an error of the server, by its type. */
const cures: Readonly<Record<string, string>> = {
  app_auth_error: "choose another key with --profile or PARLEY_API_KEY",
  agent_not_found: "see parley agents list",
  conversation_not_found: "see parley conversations list",
  skill_not_found: "see parley skills list",
  invalid_api_key_error: "set PARLEY_API_KEY to a key of the workspace, or run parley login",
  not_authenticated: "set PARLEY_API_KEY to a key of the workspace, or run parley login",
  sandbox_function_invocation_not_found: "parley functions logs without an id shows the newest",
  sandbox_function_not_found: "see parley functions list",
  sandbox_function_secret_not_found: "see parley functions secret list",
  space_not_found: "choose a space that your key can see with --space",
  tool_not_found: "see parley tools list",
  alert_not_found: "see parley alerts list",
  member_not_found: "see parley members list",
  memory_not_found: "see parley memories list",
  memory_proposal_not_found: "see parley memories pending",
  schedule_not_found: "see parley schedules list",
  tool_unreachable:
    "check its URL and secrets; hosts in private networks must be listed in the server's PARLEY_PRIVATE_HOSTS",
  trigger_event_not_found: "see parley triggers events",
  trigger_not_found: "see parley triggers list",
  user_token_not_found: "parley users tokens create prints the id of each token",
  version_conflict: "somebody else has changed it; run the command again",
  webhook_not_found: "see parley webhooks list",
  workspace_auth_error: "check PARLEY_API_KEY, and --workspace or PARLEY_WORKSPACE",
  workspace_not_found: "check --workspace or PARLEY_WORKSPACE",
};

/** An error of the server, as the clients give it. */
interface ServerFault extends Error {
  readonly data?: { readonly type?: string; readonly request_id?: string } | null;
}

const typeOf = (error: Error): string | undefined =>
  (error as ServerFault).data?.type ?? (error as { type?: string }).type;

/** The type of the server's error that a `CommandError` of `callServer` was made of. */
export function errorTypeOf(error: unknown): string | undefined {
  return error instanceof CommandError && error.cause instanceof Error
    ? typeOf(error.cause)
    : undefined;
}

/** The result of a call of the server. Throws `CommandError`: one line with what to do next. */
export async function callServer<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    // What was done with the result may have said already what is wrong.
    if (!(error instanceof Error) || error instanceof CommandError) throw error;
    const type = typeOf(error);
    const misunderstanding = type === undefined ? describeMisunderstanding(error) : undefined;
    if (misunderstanding !== undefined) {
      throw new CommandError(misunderstanding, { cause: error });
    }
    // The other clients say so themselves when there was no answer.
    if (type === undefined || type === "connection_failed") {
      const message = `Cannot reach the server (${reasonOf(error)}): start it, or correct PARLEY_URL`;
      throw new CommandError(message, { cause: error });
    }
    const cure = cures[type];
    const message = oneLine(error.message);
    const said = cure === undefined ? message : `${message} (${cure})`;
    throw new CommandError(`${said}${describeRequest(error)}`, { cause: error });
  }
}

/** The id under which the server's log has the request, if it gave one. */
function describeRequest(error: Error): string {
  const id = (error as ServerFault).data?.request_id ?? (error as { requestId?: string }).requestId;
  return id === undefined ? "" : ` [request ${oneLine(id)}]`;
}

/** Why there was no answer: what the network said, if it said something. */
function reasonOf({ message, cause }: Error): string {
  const innermost = cause instanceof Error && cause.message !== "" ? reasonOf(cause) : message;
  return innermost.split("\n", 1)[0] ?? "";
}

/** Whether an error is of a server that is gone or busy for a while. */
export function mayPass(error: unknown): boolean {
  const type = errorTypeOf(error);
  const isBusy = type === "rate_limit_error" || type === "service_unavailable";
  return isBusy || (error instanceof CommandError && type === undefined);
}
