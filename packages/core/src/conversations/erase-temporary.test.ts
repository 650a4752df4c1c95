import { conversations, files, fileTexts } from "@parley/db";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { uploadTestFile } from "../../testing/files.ts";
import { createTestConversation } from "../../testing/testing.ts";
import { findStoredFile } from "../files/file-bytes.ts";
import { saveFileText } from "../files/file-texts.ts";
import { deleteConversation } from "./conversations.ts";
import { eraseTemporaryConversations } from "./erase-temporary.ts";

const test = workspaceTest();
const MINUTE_MS = 60_000;

/** A document with its text: of a request that stores nothing, or one that stays. */
async function upload(content: string, useCase: "temporary" | "conversation") {
  const announced = { contentType: "application/pdf", useCase };
  const { sId: fileId } = await uploadTestFile(test.context, `%PDF-${content}`, announced);
  const workspaceId = test.workspace.id;
  const { sha256 = "" } = (await findStoredFile(test.core, { workspaceId, fileId })) ?? {};
  const text = { text: content, failure: null, pages: 1 };
  await saveFileText(test.core, { workspaceId, sha256: sha256 ?? "", extractor: "pdf-1" }, text);
  return { fileId, title: content };
}

it("takes the files along when the conversation is deleted before", async () => {
  const { db } = test.core.database;
  const document = await upload("early", "temporary");
  const options = { temporary: true, contentFragments: [document] };
  const { conversation } = await createTestConversation(test.context, [], options);
  await deleteConversation(test.context, { cId: conversation.sId });
  expect([await db.$count(files), await db.$count(fileTexts)]).toEqual([0, 0]);
});

it("leaves neither files nor their texts within a minute, but those that another file has too", async () => {
  const { db } = test.core.database;
  const alone = await upload("alone", "temporary");
  const shared = await upload("shared", "temporary");
  const kept = await upload("shared", "conversation");
  const contentFragments = [alone, shared];
  await createTestConversation(test.context, [], { temporary: true, contentFragments });
  test.clock.now += MINUTE_MS;
  expect(await eraseTemporaryConversations(test.core)).toBe(1);
  expect(await db.$count(conversations)).toBe(0);
  expect((await db.select().from(files)).map(({ sid }) => sid)).toEqual([kept.fileId]);
  const texts = db.select().from(fileTexts).where(eq(fileTexts.workspaceId, test.workspace.id));
  expect((await texts).map(({ text }) => text)).toEqual(["shared"]);
});
