import { agentEditors, recordedRequests, requestPieces } from "@parley/db";
import { asc } from "drizzle-orm";
import type { Context } from "../src/context.ts";
import type { Core } from "../src/create-core.ts";
import { type NewRequest, recordRequests } from "../src/requests/record-requests.ts";

/** What is stored of recorded requests: the last ones first written, and their pieces. */
export async function readTestRequests({ database }: Core) {
  const { db } = database;
  const requests = await db.select().from(recordedRequests).orderBy(asc(recordedRequests.sentAt));
  return { requests, pieces: await db.select().from(requestPieces) };
}

/** Records a request of a step of an answer, with a piece. */
export async function insertTestRequest(
  core: Core,
  of: Pick<NewRequest, "workspaceId" | "conversationId" | "messageId">,
): Promise<void> {
  const sent = { providerId: "openai", modelId: "gpt-5", sentAt: core.now(), sizeBytes: 1 };
  const stored = { sha256: "x", template: [{ piece: "x" }], pieces: { x: "x" }, parts: {} };
  await recordRequests(core, [{ ...of, ...sent, ...stored, step: 0, attempt: 1 }]);
}

/** Makes the user of a context an editor of an agent. */
export async function addTestEditor({ caller, database }: Context, agentSid: string) {
  const { workspace, user } = caller;
  const editor = { workspaceId: workspace.id, agentSid, userId: user.id };
  await database.db.insert(agentEditors).values(editor);
}
