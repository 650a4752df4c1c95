/** The outputs of an application's own tools: the turn continues with them. */
import { createHash } from "node:crypto";
import { actions, type DecidedCall, type Queryable } from "@parley/db";
import {
  canonicalJson,
  type GeneratedFile,
  type SendToolOutputs,
  type Success,
  type ToolOutput,
} from "@parley/schema";
import { and, eq, inArray } from "drizzle-orm";
import { lockConversation } from "../access/conversation-reach.ts";
import type { ActionRow, MessageRow } from "../data-access/rows.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { lockLogs } from "../log/lock-logs.ts";
import { wakeTurns } from "../runs/suspend-turns.ts";
import { type CallFile, insertCallFiles, referenceTo } from "./call-files.ts";
import { callStatus } from "./call-states.ts";
import {
  decidedBy,
  describeDecided,
  endDecided,
  refuseDecision,
  requireAnswer,
} from "./decided-calls.ts";
import { toActionResult } from "./tool-results.ts";

/**
 * Stores the outputs of calls of the application's tools, all of them or none; the answer continues once its step has
 * no open call. The same output again changes nothing. Throws `message_not_found`, and `invalid_request_error` for a
 * call that waits for no output, and for an output other than that sent before.
 */
export async function sendToolOutputs(
  context: KeyedContext,
  input: SendToolOutputs & { readonly cId: string; readonly mId: string },
): Promise<Success> {
  const { message } = await requireAnswer(context, input);
  const files = input.outputs.map(filesOf);
  const ids = files.flat().length === 0 ? [] : await context.takeRowIds(files.flat().length);
  const isStored = async () => areStored(context.database.db, message, input.outputs);
  return inTransactionOnce(context, { id: message.sid, isStored }, async (transaction) => {
    const { db, afterCommit } = transaction;
    // Names of files are unique in a conversation.
    if (ids.length > 0) await lockConversation(db, context, input.cId);
    // Calls are decided, settled and cancelled under the lock of their message's log.
    await lockLogs(db, [message.sid]);
    const known = await readCalls(db, message, input.outputs);
    const decided = decidedBy(context);
    const ended: ActionRow[] = [];
    let taken = 0;
    for (const [index, sent] of input.outputs.entries()) {
      const action = requireOpen(known.get(sent.actionId), sent, `outputs[${index}].actionId`);
      if (action === undefined) continue;
      const own = files[index] ?? [];
      const made = { conversation: message, ids: ids.slice(taken, taken + own.length), files: own };
      taken += own.length;
      // oxlint-disable-next-line no-await-in-loop -- each file has a name that those before do not have
      const generatedFiles = own.length === 0 ? [] : await insertCallFiles(context, db, made);
      ended.push(endWithOutput(action, { sent, generatedFiles, decided }));
    }
    if (ended.length > 0) {
      // Tasks are not offered the application's tools.
      await endDecided(context, transaction, { message, root: undefined, ended });
    }
    await wakeTurns(db, [message.sid], afterCommit);
    return { success: true };
  });
}

/** The calls of a message that outputs name, by their ids. */
async function readCalls(
  db: Queryable,
  { id }: Pick<MessageRow, "id">,
  outputs: readonly ToolOutput[],
): Promise<ReadonlyMap<string, ActionRow>> {
  const sids = outputs.map(({ actionId }) => actionId);
  const rows = await db
    .select()
    .from(actions)
    .where(and(eq(actions.messageId, id), inArray(actions.sid, sids)));
  return new Map(rows.map((row) => [row.sid, row]));
}

/** A call that waits for the output; undefined if it has exactly this one. Throws `invalid_request_error`. */
function requireOpen(
  action: ActionRow | undefined,
  sent: ToolOutput,
  path: string,
): ActionRow | undefined {
  if (action === undefined) throw refuseDecision("the message has no such call", path);
  if (action.status === callStatus.needsOutput) return action;
  const digest = action.decided?.digest;
  if (digest === digestOf(sent)) return undefined;
  const why =
    digest === undefined
      ? `the call does not wait for an output: it is ${action.status}`
      : `the output was already sent${describeDecided(action)}, with another value`;
  throw refuseDecision(why, path);
}

function endWithOutput(
  action: ActionRow,
  {
    sent,
    generatedFiles,
    decided,
  }: {
    readonly sent: ToolOutput;
    readonly generatedFiles: readonly GeneratedFile[];
    readonly decided: DecidedCall;
  },
): ActionRow {
  const { isError = false } = sent;
  const content = contentOf(sent, generatedFiles);
  const { output, generatedFiles: files } = toActionResult({ content, isError, generatedFiles });
  return {
    ...action,
    output,
    generatedFiles: files,
    status: isError ? callStatus.errored : callStatus.succeeded,
    executionDurationMs: Math.max(0, decided.at - action.createdAt),
    decided: { ...decided, digest: digestOf(sent) },
    updatedAt: decided.at,
  };
}

/** Whether all of the outputs are stored: a commit may be done whose answer was lost. */
async function areStored(
  db: Queryable,
  message: Pick<MessageRow, "id">,
  outputs: readonly ToolOutput[],
): Promise<boolean> {
  const known = await readCalls(db, message, outputs);
  return outputs.every((sent) => known.get(sent.actionId)?.decided?.digest === digestOf(sent));
}

/** What makes two outputs the same. */
function digestOf({ output, isError = false }: ToolOutput): string {
  return createHash("sha256").update(canonicalJson({ output, isError })).digest("base64url");
}

function filesOf({ output }: ToolOutput): CallFile[] {
  if (typeof output === "string") return [];
  return output
    .filter((part) => part.type === "image")
    .map(({ data, mimeType }, index) => ({
      name: `image-${index + 1}.${mimeType.replace(/^.*\/|\+.*$/g, "").slice(0, 10)}`,
      contentType: mimeType.toLowerCase(),
      bytes: Buffer.from(data, "base64"),
    }));
}

/** MCP content, in which images are references to files. */
function contentOf({ output }: ToolOutput, files: readonly GeneratedFile[]): unknown[] {
  if (typeof output === "string") return [{ type: "text", text: output }];
  let taken = 0;
  return output.map((part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    const file = files[taken++];
    return file === undefined
      ? { type: "text", text: "(A file that was not stored)" }
      : referenceTo(file);
  });
}
