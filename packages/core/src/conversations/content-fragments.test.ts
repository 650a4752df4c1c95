import { logs, messages, runs } from "@parley/db";
import { ContentFragment, endpoints, parseInput } from "@parley/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import {
  answerTestTurns,
  createTestConversation,
  insertTestWorkspace,
  openTestContext,
  postTestMessage,
  readTestLog,
} from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { createRowIds } from "../data-access/row-ids.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { getConversation } from "./conversation-content.ts";
import { addContentFragment } from "./post-messages.ts";

const inline = { title: "Notes", content: "Remember the milk €", contentType: "text/markdown" };

describe("content fragments and data sources", () => {
  const test = workspaceTest({ per: "suite", agents: ["ann"] });
  let other: WorkspaceRow;
  let spaceId: string;
  beforeAll(async () => {
    other = await insertTestWorkspace(test.core);
    const named = { wId: test.workspaceId, name: "Open" };
    spaceId = (await test.operator.createSpace(named)).space.sId;
  });

  const db = () => test.core.database.db;
  const ask = async (...agentIds: string[]) =>
    (await createTestConversation(test.context, agentIds)).conversation.sId;
  const add = async (cId: string, body: object, by = test.context) => {
    const raw = { wId: test.workspaceId, cId, ...body };
    return addContentFragment(by, parseInput(endpoints["contentFragments.create"], raw));
  };
  const view = async (space = spaceId) => {
    const named = {
      wId: test.workspaceId,
      spaceId: space,
      name: "Wiki",
      provider: "notion",
    };
    return (await test.operator.createDataSourceView(named)).dataSourceView;
  };
  const node = (dataSourceViewId: string, nodeId = "page") => ({
    wId: test.workspaceId,
    dataSourceViewId,
    nodeId,
  });
  const page = { nodeType: "document", title: "Page", content: "What the page says" } as const;
  const reference = (nodeDataSourceViewId: string, nodeId = "page") => ({
    title: "A page",
    nodeDataSourceViewId,
    nodeId,
  });

  it("adds inline text after the messages", async () => {
    const cId = await ask("ann");
    const written = { username: "ada", timezone: "Europe/Paris" };
    const body = { ...inline, url: "https://x.test", context: written };
    const { contentFragment } = await add(cId, body);
    expect(ContentFragment.parse(contentFragment)).toEqual(contentFragment);
    expect(contentFragment).toMatchObject({
      contentFragmentType: "file",
      title: "Notes",
      contentType: "text/markdown",
      sourceUrl: "https://x.test",
      snippet: inline.content,
      textBytes: 21,
      context: written,
    });
    const rows = await db().select().from(messages).orderBy(messages.rank);
    expect(rows.map((row) => row.rank)).toEqual([0, 1, 2]);
    expect(rows[2]).toMatchObject({ sid: contentFragment.sId, content: inline.content });
  });

  it("adds a node with the text it has when it is added", async () => {
    const { sId } = await view();
    await test.operator.putDataSourceNode({ ...node(sId), ...page, sourceUrl: "https://w.test/p" });
    const cId = await ask();
    const { contentFragment } = await add(cId, reference(sId));
    expect(ContentFragment.parse(contentFragment)).toEqual(contentFragment);
    expect(contentFragment).toMatchObject({
      contentFragmentType: "content_node",
      title: "A page",
      contentType: "text/plain",
      sourceUrl: "https://w.test/p",
      nodeType: "document",
      contentNodeData: { nodeId: "page", provider: "notion", spaceName: "Open" },
    });
    await test.operator.putDataSourceNode({ ...node(sId), ...page, content: "Something else" });
    await test.operator.removeDataSourceNode(node(sId));
    const { conversation } = await getConversation(test.context, { cId });
    expect(conversation.content[1]).toEqual([contentFragment]);
    const rows = await db().select().from(messages).orderBy(messages.rank);
    expect(rows[1]?.content).toBe(page.content);
  });

  it("is not announced, asks nobody, and stands in the history of the next turn", async () => {
    const cId = await ask();
    const before = await readTestLog(test.core, cId);
    const counts = async () => [await db().$count(runs), await db().$count(logs)];
    const countsBefore = await counts();
    await add(cId, inline);
    expect(await readTestLog(test.core, cId)).toEqual(before);
    expect(await counts()).toEqual(countsBefore);
    await postTestMessage(test.context, cId, { agentIds: ["ann"] });
    const [turn] = await answerTestTurns(test.core);
    expect(turn?.history).toMatchObject([
      { type: "user_message" },
      { type: "content_fragment", content: inline.content, fragment: { title: "Notes" } },
      { type: "user_message", content: "And?" },
    ]);
  });

  it("gives fragments that come at once positions without gaps", async () => {
    const cId = await ask();
    await Promise.all(Array.from({ length: 8 }, () => add(cId, inline)));
    const rows = await db().select().from(messages).orderBy(messages.rank);
    expect(rows.map((row) => row.rank)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("adds in a process that has to ask the database for more row numbers", async () => {
    const cId = await ask();
    const takeRowIds = createRowIds(db());
    const restarted = Object.assign(Object.create(test.context) as CoreContext, { takeRowIds });
    expect(await add(cId, inline, restarted)).toMatchObject({
      contentFragment: { title: inline.title },
    });
  });

  it("refuses sources that are not there, and leaves no trace", async () => {
    const { sId } = await view();
    await test.operator.putDataSourceNode({ ...node(sId), ...page });
    const cId = await ask();
    const foreign = await openTestContext(test.core, other);
    const cases: [() => Promise<unknown>, string][] = [
      [() => add(cId, { ...inline, fileId: "fil_x" }), "400 file_not_found"],
      [() => add(cId, reference("dsv_unknown")), "400 data_source_view_not_found"],
      [() => add(cId, reference(sId, "other page")), "400 data_source_view_not_found"],
      [() => add(cId, { ...inline, ...reference("dsv_x") }), "400 data_source_view_not_found"],
      [() => add("unknown", inline), "404 conversation_not_found"],
      [() => add(cId, inline, foreign), "404 conversation_not_found"],
    ];
    for (const [added, expected] of cases) expect(await refusalOf(added())).toBe(expected);
    expect(await db().$count(messages)).toBe(1);
  });

  it("reaches the nodes of a restricted space only with a key that it is given to", async () => {
    const about = { wId: test.workspaceId, name: "Closed", isRestricted: true };
    const { space } = await test.operator.createSpace(about);
    const { sId } = await view(space.sId);
    await test.operator.putDataSourceNode({ ...node(sId), ...page });
    const cId = await ask();
    expect(await refusalOf(add(cId, reference(sId)))).toBe("400 data_source_view_not_found");
    const given = { wId: test.workspaceId, spaceId: space.sId };
    await test.operator.updateSpace({ ...given, keyIds: [test.context.caller.apiKey.sid] });
    expect(await refusalOf(add(cId, reference(sId)))).toBe("accepted");
    await test.operator.updateSpace({ ...given, keyIds: [] });
    expect(await refusalOf(add(cId, reference(sId)))).toBe("400 data_source_view_not_found");
    await test.operator.updateSpace({ ...given, isRestricted: false });
    expect(await refusalOf(add(cId, reference(sId)))).toBe("accepted");
  });

  it("replaces a node as a whole, and removes it, however often", async () => {
    const { sId } = await view();
    const { sId: twin } = await view();
    await test.operator.putDataSourceNode({
      ...node(sId),
      ...page,
      contentType: "text/html",
      sourceUrl: "https://w.test",
    });
    await test.operator.putDataSourceNode({ ...node(twin), ...page });
    await test.operator.putDataSourceNode({ ...node(sId), nodeType: "folder", title: "Empty" });
    const cId = await ask();
    expect(await add(cId, reference(sId))).toMatchObject({
      contentFragment: { nodeType: "folder", contentType: "text/plain", sourceUrl: null },
    });
    await test.operator.removeDataSourceNode(node(sId));
    await test.operator.removeDataSourceNode(node(sId));
    expect(await refusalOf(add(cId, reference(sId)))).toBe("400 data_source_view_not_found");
    expect(await refusalOf(add(cId, reference(twin)))).toBe("accepted");
  });

  it("keeps the views of workspaces apart", async () => {
    const made = await view();
    const views = (workspaceId: string) =>
      test.operator
        .listDataSourceViews({ wId: workspaceId })
        .then((listed) => listed.dataSourceViews);
    expect((await views(test.workspaceId)).at(-1)).toEqual(made);
    expect(await views(other.sid)).toEqual([]);
    const foreign = { ...node(made.sId), wId: other.sid };
    const put = test.operator.putDataSourceNode({ ...foreign, ...page });
    expect(await refusalOf(put)).toBe("400 data_source_view_not_found");
    const removed = test.operator.removeDataSourceNode(foreign);
    expect(await refusalOf(removed)).toBe("400 data_source_view_not_found");
    const named = { wId: other.sid, spaceId, name: "Wiki" };
    expect(await refusalOf(test.operator.createDataSourceView(named))).toBe("400 space_not_found");
  });
});
