import { actions, conversations, files, fileTexts, messages } from "@parley/db";
import { and, eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import {
  createTestConversation,
  fillTestConversation,
  insertTestWorkspace,
} from "../../testing/testing.ts";
import { readPlanned } from "./read-transcript.ts";

const test = workspaceTest({ agents: [] });

it("plans with the files of a message and of its calls, and with the text of those that have one", async () => {
  const { db } = test.core.database;
  const { conversation } = await createTestConversation(test.context, []);
  await fillTestConversation(test.core, conversation.sId, ["Look:", "", "Seen"]);
  const [{ id: conversationId } = { id: 0 }] = await db
    .select()
    .from(conversations)
    .where(eq(conversations.sid, conversation.sId));
  const stranger = await insertTestWorkspace(test.core);
  const named = { fileName: "f", useCase: "conversation", status: "ready", createdAt: 0 } as const;
  const fileOf = (sid: string, workspaceId: number, sizeBytes: number, contentType: string) => ({
    ...named,
    id: workspaceId * 1000 + sizeBytes,
    sid,
    workspaceId,
    sizeBytes,
    contentType,
    sha256: sid,
  });
  const { id: workspaceId } = test.workspace;
  await db
    .insert(files)
    .values([
      fileOf("fil_seen", workspaceId, 70, "application/pdf"),
      fileOf("fil_made", workspaceId, 71, "image/png"),
      { ...fileOf("fil_read", workspaceId, 72, "text/plain"), text: "is in the message" },
      fileOf("fil_strange", stranger.id, 73, "image/png"),
    ]);
  const extracted = { sha256: "fil_seen", extractor: "pdf 1", createdAt: 0 };
  await db.insert(fileTexts).values([
    { ...extracted, workspaceId, text: "déjà vu" },
    { ...extracted, workspaceId: stranger.id, text: "longer than the one of the workspace" },
  ]);
  const at = (rank: number) =>
    and(eq(messages.conversationId, conversationId), eq(messages.rank, rank));
  const fragment = {
    title: "f",
    contentType: "application/pdf",
    fileId: "fil_seen",
    sourceUrl: null,
  };
  await db.update(messages).set({ type: "content_fragment", fragment }).where(at(2));
  const [answer] = await db.select().from(messages).where(at(3));
  const made = (fileId: string) => ({ fileId, title: "f", contentType: "image/png" });
  await db.insert(actions).values({
    sid: "act_1",
    messageId: answer!.id,
    step: 0,
    position: 0,
    toolName: "t",
    functionCallName: "t",
    functionCallId: "c",
    params: {},
    status: "succeeded",
    // Only the first is an image of the workspace's.
    generatedFiles: ["fil_made", "fil_read", "fil_strange"].map(made) as never,
    createdAt: 0,
    updatedAt: 0,
  });
  const { rows } = await readPlanned(db, { conversationId, after: 0 });
  expect(rows).toMatchObject([
    { rank: 1, bytes: 5, files: null },
    {
      rank: 2,
      bytes: 0,
      files: [
        {
          contentType: "application/pdf",
          sizeBytes: 70,
          isOfCall: false,
          textBytes: "déjà vu".length + 2,
        },
      ],
    },
    {
      rank: 3,
      files: [{ contentType: "image/png", sizeBytes: 71, isOfCall: true, textBytes: null }],
    },
  ]);
});
