import { actions, messages } from "@parley/db";
import { and, eq } from "drizzle-orm";
import { textOfOutput } from "../calls/tool-results.ts";
import type { Process } from "../context.ts";
import type { TurnInput } from "./load-turns.ts";

/** A call of an answer in a turn's conversation, by its place. */
export interface PlaceOfCall {
  /** Id of the answer. */
  readonly answerId: string;
  readonly step: number;
  readonly position: number;
}

/**
 * Reads the text of a call's result, as models are given it. Undefined if the conversation has no such answer,
 * the answer is no longer visible, or the call has not ended.
 */
export async function readCallResult(
  { database }: Pick<Process, "database">,
  { message }: Pick<TurnInput, "message">,
  { answerId, step, position }: PlaceOfCall,
): Promise<string | undefined> {
  const [row] = await database.db
    .select({ output: actions.output })
    .from(messages)
    .innerJoin(actions, eq(actions.messageId, messages.id))
    .where(
      and(
        eq(messages.sid, answerId),
        eq(messages.workspaceId, message.workspaceId),
        eq(messages.conversationId, message.conversationId),
        eq(messages.visibility, "visible"),
        eq(actions.step, step),
        eq(actions.position, position),
      ),
    );
  return row?.output ? textOfOutput(row.output) : undefined;
}
