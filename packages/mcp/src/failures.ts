import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { FetchFault, hideSecrets } from "@parley/guarded-fetch";
import { toStorable } from "@parley/schema";
import type { McpServer } from "./contract.ts";
import type { McpFailure, McpFailureCode } from "./failure-contract.ts";

/** Why a listing or a call failed, before it is told whether the call has left. */
export type Reason = Omit<McpFailure, "type" | "sent"> & {
  /** Set if the server's answer says that it has not run the call. */
  readonly isNotRun?: boolean;
};

const MAX_MESSAGE = 500;

/** Makes a failure. Secrets of the server's headers that its own message repeats are removed. */
export function toFailure(reason: Reason, server: McpServer, sent: boolean): McpFailure {
  const { code, authorization } = reason;
  const message = hideSecrets(toStorable(reason.message), secretsOf(server.headers)).slice(
    0,
    MAX_MESSAGE,
  );
  return {
    type: "failed",
    code,
    message: message.toWellFormed(),
    sent: sent && reason.isNotRun !== true,
    ...(authorization && { authorization }),
  };
}

/** The values of headers, and the words in them: a token follows its scheme. */
const secretsOf = (headers: McpServer["headers"]): string[] =>
  Object.values(headers).flatMap((value) => [value, ...value.split(/[\s,;=]+/)]);

/** What an error of the protocol's client means. */
export function reasonOf(error: unknown): Reason {
  if (error instanceof FetchFault) return { code: error.code, message: error.message };
  if (error instanceof ProtocolError) {
    return { code: "rejected", message: `The server answered with an error: ${error.message}` };
  }
  if (error instanceof SdkHttpError) return reasonOfStatus(error.data.status);
  if (error instanceof SdkError) return reasonOfSdk(error);
  return { code: "bad_answer", message: NOT_MCP };
}

/** What a status other than 2xx means. */
export function reasonOfStatus(status: number): Reason {
  const message = `The server answered with HTTP ${status}`;
  if (status === 401) return { code: "unauthorized", message, isNotRun: true };
  if (status === 403) return { code: "forbidden", message, isNotRun: true };
  if (status >= 500 || status === 408 || status === 425 || status === 429) {
    return { code: "unreachable", message, isNotRun: status === 425 || status === 429 };
  }
  if (status < 400) return { code: "bad_answer", message, isNotRun: true };
  const isUnknown =
    status === 404 ? `${message}: the URL, or a session that it has ended` : message;
  return { code: "rejected", message: isUnknown, isNotRun: true };
}

const NOT_MCP = "The server's answer is not what MCP describes";
const codes: Partial<Record<string, McpFailureCode>> = {
  [SdkErrorCode.RequestTimeout]: "timed_out",
  [SdkErrorCode.ConnectionClosed]: "unreachable",
  [SdkErrorCode.NotConnected]: "unreachable",
};
const messages: Partial<Record<string, string>> = {
  [SdkErrorCode.RequestTimeout]: "No answer in time",
  [SdkErrorCode.ConnectionClosed]: "The connection was closed",
  [SdkErrorCode.NotConnected]: "The connection was closed",
};

function reasonOfSdk({ code, data }: SdkError): Reason {
  const resultType = (data as { resultType?: unknown } | undefined)?.resultType;
  if (code === SdkErrorCode.UnsupportedResultType && resultType === "input_required") {
    const message = "The server asks for input in the middle of the call, which it does not get";
    return { code: "rejected", message };
  }
  return { code: codes[code] ?? "bad_answer", message: messages[code] ?? NOT_MCP };
}
