/** The outputs of an application's own tools: the turn continues with them. */
import { createHash } from "node:crypto";
import {
  canonicalJson,
  type GeneratedFile,
  type SendToolOutputs,
  type Success,
  toStorable,
  type ToolOutput,
} from "@parley/schema";
import { lockConversation } from "../access/conversation-reach.ts";
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
  requireAction,
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
  return inTransactionOnce(context, { id: message.sid }, async (transaction) => {
    const { db, afterCommit } = transaction;
    // Names of files are unique in a conversation.
    if (ids.length > 0) await lockConversation(db, context, input.cId);
    // Calls are decided, settled and cancelled under the lock of their message's log.
    await lockLogs(db, [message.sid]);
    let taken = 0;
    for (const [index, sent] of input.outputs.entries()) {
      const path = `outputs[${index}].actionId`;
      // oxlint-disable-next-line no-await-in-loop -- in the order of the request
      const action = await requireAction(db, message, { sid: sent.actionId, path });
      const digest = digestOf(sent);
      if (action.decided?.digest === digest) continue;
      if (action.status !== callStatus.needsOutput) {
        const why =
          action.decided?.digest === undefined
            ? `the call does not wait for an output: it is ${action.status}`
            : `the output was already sent${describeDecided(action)}, with another value`;
        throw refuseDecision(why, path);
      }
      const own = files[index] ?? [];
      const made = { conversation: message, ids: ids.slice(taken, taken + own.length), files: own };
      taken += own.length;
      // oxlint-disable-next-line no-await-in-loop -- each file has a name that those before do not have
      const generatedFiles = own.length === 0 ? [] : await insertCallFiles(context, db, made);
      const { isError = false } = sent;
      const { output } = toActionResult({
        content: contentOf(sent, generatedFiles),
        isError,
        generatedFiles,
      });
      const decided = { ...decidedBy(context), digest };
      const ended = {
        ...action,
        status: isError ? callStatus.errored : callStatus.succeeded,
        output,
        generatedFiles: generatedFiles.length === 0 ? null : generatedFiles,
        executionDurationMs: Math.max(0, decided.at - action.createdAt),
        decided,
        updatedAt: decided.at,
      };
      // oxlint-disable-next-line no-await-in-loop -- their events are in the order of the request
      await endDecided(context, transaction, { message, action: ended });
    }
    await wakeTurns(db, [message.sid], afterCommit);
    return { success: true };
  });
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
  if (typeof output === "string") return [{ type: "text", text: toStorable(output) }];
  let taken = 0;
  return output.map((part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    const file = files[taken++];
    return file === undefined
      ? { type: "text", text: "(A file that was not stored)" }
      : referenceTo(file);
  });
}
