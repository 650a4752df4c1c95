import { createHash } from "node:crypto";
import { fileChunks, files, messages } from "@parley/db";
import { ContentFragment, endpoints, parseInput } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { announceTestFile, uploadTestFile } from "../../testing/files.ts";
import { refusalOf } from "../../testing/operator.ts";
import {
  answerTestTurns,
  createTestConversation,
  insertTestWorkspace,
  openTestContext,
  postTestMessage,
} from "../../testing/testing.ts";
import { openFile } from "../files/files.ts";
import { getConversation } from "./conversation-content.ts";
import { deleteConversation } from "./conversations.ts";
import { addContentFragment } from "./post-messages.ts";

const CHUNK = 256 * 1024;

describe("fragments that are files", () => {
  const test = workspaceTest({ per: "suite", agents: ["ann"] });

  const db = () => test.core.database.db;
  const add = async (cId: string, body: object, by = test.context) => {
    const raw = { wId: by.caller.workspace.sid, cId, ...body };
    return addContentFragment(by, parseInput(endpoints["contentFragments.create"], raw));
  };
  const readText = async (fileId: string, by = test.context): Promise<string> => {
    const opened = await openFile(by, { fileId });
    const chunks = await Array.fromAsync(opened.read(0, opened.sizeBytes));
    const bytes = Buffer.concat(chunks);
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(opened.sha256);
    return bytes.toString();
  };
  const upload = async (contentType: string, content: string, by = test.context) =>
    (await uploadTestFile(by, content, { contentType })).sId;
  const fragmentsOf = async (cId: string) => {
    const { conversation } = await getConversation(test.context, { cId });
    return conversation.content.flatMap(([one]) => (one?.type === "content_fragment" ? one : []));
  };
  /** What an agent is given of the fragments of a conversation. */
  const historyOf = async (cId: string) => {
    await postTestMessage(test.context, cId, { agentIds: ["ann"] });
    const [turn] = await answerTestTurns(test.core);
    const all = turn?.history.filter((message) => message.type === "content_fragment") ?? [];
    return all.map(({ content, fragment }) => [fragment?.contentType, content]);
  };

  const texts = [
    { name: "a word", content: "Remember the milk €" },
    { name: "nothing", content: "" },
    { name: "a chunk", content: "x".repeat(CHUNK) },
    { name: "a chunk and a byte", content: "x".repeat(CHUNK + 1) },
    { name: "as much as there may be", content: "€".repeat(512 * 1024) },
  ];

  it.each(texts)("keeps an inline text of $name as a file", async ({ content }) => {
    const fragment = { title: "a/b\r\n.txt", content, contentType: "text/html; charset=latin1" };
    const created = await createTestConversation(test.context, [], {
      contentFragments: [{ title: "first", content: "first", contentType: "a/b" }, fragment],
    });
    const cId = created.conversation.sId;
    const added = (await add(cId, fragment)).contentFragment;
    const stored = await fragmentsOf(cId);
    expect(stored).toEqual([...created.conversation.content.slice(0, 2).flat(), added]);
    for (const one of stored.slice(1)) {
      expect(ContentFragment.parse(one)).toEqual(one);
      if (one.contentFragmentType !== "file" || one.fileId === null) throw new Error("no file");
      expect(one.fileId).toMatch(/^fil_/);
      expect(one.textUrl).toBe(
        `http://parley.test/api/v1/w/${test.workspaceId}/files/${one.fileId}`,
      );
      expect(one.textBytes).toBe(Buffer.byteLength(content));
      expect(one.contentType).toBe(fragment.contentType);
      expect(await readText(one.fileId)).toBe(content);
      const { contentType, fileName } = await openFile(test.context, { fileId: one.fileId });
      expect(contentType).toBe("text/html; charset=utf-8");
      expect(fileName).toBe(fragment.title);
    }
    expect(await db().$count(files)).toBe(3);
  });

  it("writes no file for what has none", async () => {
    const { conversation } = await createTestConversation(test.context, ["ann"]);
    await postTestMessage(test.context, conversation.sId, { agentIds: ["ann"] });
    expect([await db().$count(files), await db().$count(fileChunks)]).toEqual([0, 0]);
  });

  it("writes the files of creates that come at once, each with its own text", async () => {
    const created = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        createTestConversation(test.context, [], {
          contentFragments:
            index % 2 === 0
              ? []
              : [{ title: "t", content: `text ${index}`, contentType: "text/plain" }],
        }),
      ),
    );
    for (const [index, { conversation }] of created.entries()) {
      const found = await fragmentsOf(conversation.sId);
      const ids = found.flatMap((one) => (one.contentFragmentType === "file" ? one.fileId : []));
      const contents = await Promise.all(ids.map((fileId) => readText(fileId ?? "")));
      expect(contents).toEqual(index % 2 === 0 ? [] : [`text ${index}`]);
    }
  });

  it("gives agents the text of uploaded files, and of others title and type", async () => {
    const fileIds = [
      await upload("text/csv", "a,b\n1,2"),
      await upload("text/html", "<p>Hello <b>you</b></p><script>x</script>"),
      await upload("application/pdf", "%PDF-1.7"),
    ];
    const contentFragments = fileIds.map((fileId) => ({ title: "t", fileId }));
    const { conversation } = await createTestConversation(test.context, [], { contentFragments });
    expect(conversation.content.slice(0, 3).flat()).toMatchObject([
      { contentType: "text/csv", fileId: fileIds[0], snippet: "a,b\n1,2", textBytes: 7 },
      { contentType: "text/html", fileId: fileIds[1], snippet: "Hello you", textBytes: 41 },
      { contentType: "application/pdf", fileId: fileIds[2], snippet: null, textBytes: null },
    ]);
    expect(await historyOf(conversation.sId)).toEqual([
      ["text/csv", "a,b\n1,2"],
      ["text/html", "Hello you"],
      ["application/pdf", ""],
    ]);
  });

  it("lets a file decide over the other sources, and keeps its title and address", async () => {
    const fileId = await upload("text/plain", "from the file");
    const { conversation } = await createTestConversation(test.context, []);
    const { contentFragment } = await add(conversation.sId, {
      title: "Mine",
      fileId,
      content: "inline",
      contentType: "text/csv",
      nodeId: "n",
      nodeDataSourceViewId: "dsv_x",
      url: "https://x.test",
    });
    expect(contentFragment).toMatchObject({
      contentFragmentType: "file",
      title: "Mine",
      contentType: "text/plain",
      sourceUrl: "https://x.test",
      snippet: "from the file",
    });
    expect(await historyOf(conversation.sId)).toEqual([["text/plain", "from the file"]]);
  });

  it("refuses files that are unknown, foreign or not there yet, and leaves no trace", async () => {
    const other = await openTestContext(test.core, await insertTestWorkspace(test.core));
    const foreign = await upload("text/plain", "theirs", other);
    const pending = (await announceTestFile(test.context, { fileSize: 5 })).sId;
    for (const fileId of ["fil_unknown", foreign, pending]) {
      const contentFragments = [{ title: "t", fileId }];
      const created = createTestConversation(test.context, [], { contentFragments });
      expect(await refusalOf(created)).toBe("400 file_not_found");
      await expect(created).rejects.toThrow("contentFragments[0].fileId: ");
    }
    expect(await db().$count(messages)).toBe(0);
  });

  it("shows a text that stands in a conversation to those who reach the conversation", async () => {
    const about = { wId: test.workspaceId, name: "Closed", isRestricted: true };
    const { space } = await test.operator.createSpace(about);
    const given = { wId: test.workspaceId, spaceId: space.sId };
    await test.operator.updateSpace({ ...given, keyIds: [test.context.caller.apiKey.sid] });
    const fragment = { title: "t", content: "secret", contentType: "text/plain" };
    const { conversation } = await createTestConversation(test.context, [], {
      spaceId: space.sId,
      contentFragments: [fragment],
    });
    const [row] = await db().select({ sid: files.sid }).from(files);
    const fileId = row?.sid ?? "";
    expect(await readText(fileId)).toBe("secret");
    const outside = await openTestContext(test.core, test.workspace, "admin");
    expect(await refusalOf(openFile(outside, { fileId }))).toBe("404 file_not_found");
    const open = (await createTestConversation(outside, [])).conversation.sId;
    const reused = { title: "mine now", fileId };
    expect(await refusalOf(add(open, reused, outside))).toBe("400 file_not_found");
    const { contentFragment } = await add(conversation.sId, reused);
    expect(contentFragment).toMatchObject({ fileId, snippet: "secret", textBytes: 6 });
  });

  it("deletes the texts with their conversation, and no other file", async () => {
    const fileId = await upload("text/plain", "uploaded");
    const contentFragments = [
      { title: "t", content: "inline", contentType: "text/plain" },
      { title: "t", fileId },
    ];
    const body = { contentFragments };
    const { conversation } = await createTestConversation(test.context, [], body);
    await createTestConversation(test.context, [], body);
    await deleteConversation(test.context, { cId: conversation.sId });
    expect([await db().$count(files), await db().$count(fileChunks)]).toEqual([2, 2]);
    expect(await readText(fileId)).toBe("uploaded");
  });
});
