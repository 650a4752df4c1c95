import { dataSourceViews } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { openTestOperator, refusalOf } from "../../testing/operator.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import {
  deleteDocument,
  deleteFolder,
  getDocument,
  listDocuments,
  upsertDocument,
  upsertFolder,
} from "./documents.ts";
import { findNode } from "./nodes.ts";
import { searchDocuments } from "./search-documents.ts";
import { findNodes, searchNodes } from "./search-nodes.ts";
import { updateDataSourceView } from "./views.ts";

describe("documents", () => {
  const test = coreTest({ dataSourceLimits: { sources: 100, nodes: 4, bytes: 100 } });
  let context: CoreContext;
  let wId: string;
  let spaceId: string;
  beforeAll(async () => {
    const workspace = await insertTestWorkspace(test.core);
    wId = workspace.sid;
    context = await openTestContext(test.core, workspace);
    spaceId = (await test.operator.createSpace({ wId, name: "S" })).space.sId;
  });

  const createSource = async (name = "Handbook") => {
    const { dataSourceView } = await test.operator.createDataSourceView({ wId, spaceId, name });
    return { dsId: dataSourceView.dataSourceId, dsvId: dataSourceView.sId };
  };
  const upload = (dsId: string, documentId: string, body: object) =>
    upsertDocument(
      context,
      parseInput(endpoints["documents.upsert"], { wId, dsId, documentId, ...body }),
    );
  const uploadFolder = (dsId: string, folderId: string, body: object = {}) => {
    const folder = { title: folderId, timestamp: 1, mime_type: "inode/directory", ...body };
    return upsertFolder(
      context,
      parseInput(endpoints["folders.upsert"], { wId, dsId, folderId, ...folder }),
    );
  };
  const named = (dsId: string, documentId: string) => ({
    wId,
    dsId,
    documentId,
    spaceId: undefined,
  });
  const countsOf = async (dsId: string) => {
    const { nodeCount, contentBytes } = dataSourceViews;
    const [row] = await test.core.database.db
      .select({ nodeCount, contentBytes })
      .from(dataSourceViews)
      .where(eq(dataSourceViews.dataSourceSid, dsId));
    return row;
  };

  it("replaces a document by its id, and counts it once", async () => {
    const { dsId } = await createSource();
    const first = await upload(dsId, "a/b", { text: "one", tags: ["x"], parent_id: "f" });
    expect(first.document).toMatchObject({ title: "a/b", parents: ["a/b", "f"], text_size: 3 });
    const second = await upload(dsId, "a/b", { text: "twö", title: "A" });
    expect(second.document).toMatchObject({ title: "A", parent_id: null, tags: [], text_size: 4 });
    const { document } = await getDocument(context, named(dsId, "a/b"));
    expect(document).toEqual({ ...second.document, text: "twö" });
    expect(await countsOf(dsId)).toEqual({ nodeCount: 1, contentBytes: 4 });
    await deleteDocument(context, named(dsId, "a/b"));
    expect(await countsOf(dsId)).toEqual({ nodeCount: 0, contentBytes: 0 });
    const again = refusalOf(deleteDocument(context, named(dsId, "a/b")));
    expect(await again).toBe("404 data_source_document_not_found");
  });

  it("answers with sizes or the id alone if that is asked for", async () => {
    const { dsId } = await createSource();
    const light = await upload(dsId, "a", { text: "12345678", light_document_output: true });
    expect(Object.keys(light.document).toSorted()).toEqual(
      ["chunk_count", "created", "hash", "text_size", "token_count"].toSorted(),
    );
    const queued = await upload(dsId, "a", { text: "x", async: true });
    expect(queued.document).toEqual({ document_id: "a" });
    expect((await getDocument(context, named(dsId, "a"))).document.text).toBe("x");
  });

  it("refuses what a data source may not hold, and frees what is deleted", async () => {
    const { dsId } = await createSource();
    await upload(dsId, "a", { text: "x".repeat(90) });
    const more = upload(dsId, "b", { text: "x".repeat(11) });
    await expect(more).rejects.toThrow("this needs 11 more, and 10 are left");
    // Uploads at once count each other.
    const many = ["c", "d", "e", "f"].map((id) => refusalOf(upload(dsId, id, { text: "x" })));
    const outcomes = await Promise.all(many);
    expect(outcomes.toSorted()).toEqual([
      "403 data_source_quota_error",
      "accepted",
      "accepted",
      "accepted",
    ]);
    await upload(dsId, "a", { text: "" });
    expect(await countsOf(dsId)).toEqual({ nodeCount: 4, contentBytes: 3 });
  });

  it("pages through documents without folders", async () => {
    const { dsId } = await createSource();
    await uploadFolder(dsId, "folder");
    for (const id of ["b", "a", "c"]) await upload(dsId, id, { text: id });
    const page = await listDocuments(context, { ...named(dsId, ""), limit: 2, offset: 1 });
    expect(page.total).toBe(3);
    expect(page.documents.map(({ document_id: id }) => id)).toEqual(["b", "c"]);
    expect(page.documents[0]).not.toHaveProperty("text");
  });

  it("deletes as a folder only what is one", async () => {
    const { dsId } = await createSource();
    await upload(dsId, "a", { text: "x" });
    const asFolder = deleteFolder(context, { ...named(dsId, ""), folderId: "a" });
    expect(await refusalOf(asFolder)).toBe("404 data_source_document_not_found");
  });

  it("is deleted with its data source, and only with that", async () => {
    const [gone, kept] = [await createSource(), await createSource()];
    for (const { dsId } of [gone, kept]) await upload(dsId, "a", { text: "x" });
    await test.operator.removeDataSourceView({ wId, dataSourceViewId: gone.dsvId });
    const read = refusalOf(getDocument(context, named(gone.dsId, "a")));
    expect(await read).toBe("404 data_source_not_found");
    expect((await getDocument(context, named(kept.dsId, "a"))).document.text).toBe("x");
    const again = test.operator.removeDataSourceView({ wId, dataSourceViewId: gone.dsvId });
    expect(await refusalOf(again)).toBe("400 data_source_view_not_found");
  });

  it("shows only what is below the parents of its view", async () => {
    const { dsId, dsvId } = await createSource("Parted");
    await uploadFolder(dsId, "shops");
    await upload(dsId, "inside", { text: "zebra", parents: ["inside", "shops"] });
    await upload(dsId, "outside", { text: "zebra" });
    const view = { wId, spaceId, dsvId };
    const update = (change: object) =>
      updateDataSourceView(
        context,
        parseInput(endpoints["dataSourceViews.update"], { ...view, ...change }),
      );
    const find = async () => {
      const query = { ...view, query: "zebra" };
      const search = parseInput(endpoints["dataSourceViews.searchDocuments"], query);
      const { documents } = await searchDocuments(context, search);
      return documents.map(({ document_id: id }) => id).toSorted();
    };
    const given = async (nodeId: string) =>
      (await findNode(test.core.database.db, context, { viewId: dsvId, nodeId }))?.node.content;
    expect(await find()).toEqual(["inside", "outside"]);
    const { dataSourceView } = await update({ parentsIn: ["shops"] });
    expect(dataSourceView).toMatchObject({ kind: "custom", parentsIn: ["shops"] });
    expect(await find()).toEqual(["inside"]);
    expect([await given("inside"), await given("outside")]).toEqual(["zebra", undefined]);
    const nodes = await searchNodes(
      context,
      parseInput(endpoints["nodes.search"], { wId, query: "zebra" }),
    );
    expect(nodes.nodes.map(({ internalId }) => internalId)).toEqual(["inside"]);
    const emptied = refusalOf(update({ parentsToRemove: ["shops"] }));
    expect(await emptied).toBe("400 invalid_request_error");
    await update({ parentsIn: [] });
    expect(await find()).toEqual(["inside", "outside"]);
  });
});

describe("search of nodes", () => {
  const test = coreTest();
  let context: CoreContext;
  let wId: string;
  beforeAll(async () => {
    const operator = openTestOperator(test.core);
    const workspace = await insertTestWorkspace(test.core);
    wId = workspace.sid;
    context = await openTestContext(test.core, workspace);
    const { space } = await operator.createSpace({ wId, name: "S" });
    const closed = await operator.createSpace({ wId, name: "C", isRestricted: true });
    for (const { spaceId, name } of [
      { spaceId: space.sId, name: "Handbook" },
      { spaceId: closed.space.sId, name: "Secrets" },
    ]) {
      const { dataSourceView } = await operator.createDataSourceView({ wId, spaceId, name });
      const put = (nodeId: string, title: string, more: object = {}) =>
        operator.putDataSourceNode({
          wId,
          dataSourceViewId: dataSourceView.sId,
          nodeId,
          nodeType: "document",
          title,
          ...more,
        });
      await put("exact", "Hours");
      await put("begins", "Hours of 100%_shops");
      await put("text", "Shops", { content: "The hours are long, the hours are many." });
      await put("table", "Hours in a table", { nodeType: "table" });
      await put("url", "Page", { sourceUrl: "https://example.com/page" });
    }
  });

  const search = (body: object) =>
    searchNodes(context, parseInput(endpoints["nodes.search"], { wId, ...body }));
  const idsOf = async (body: object) =>
    (await search(body)).nodes.map(({ internalId }) => internalId);

  it("ranks a title before one that begins so, and that before a text", async () => {
    const document = { viewType: "document" };
    expect(await idsOf({ query: "hours", ...document })).toEqual(["exact", "begins", "text"]);
    expect(await idsOf({ query: "HOU", ...document })).toEqual(["begins", "exact", "text"]);
    expect(await idsOf({ query: "hours", viewType: "table" })).toEqual(["table"]);
  });

  it.each([
    ["h", ["begins", "exact", "table"]],
    ["hours of 100%_", ["begins"]],
    ["long many", ["text"]],
    ["long absent", []],
    ["%", []],
    ["!?", []],
    ["' & | :* ()", []],
  ])("finds by %j what it should", async (query, expected) => {
    expect((await idsOf({ query })).toSorted()).toEqual(expected);
  });

  it("finds by URL and by ids, and data sources by name", async () => {
    const query = "https://example.com/page";
    expect(await idsOf({ query, searchSourceUrls: true })).toEqual(["url"]);
    expect(await idsOf({ nodeIds: ["text", "nothing", "exact"] })).toEqual(["exact", "text"]);
    const { nodes } = await search({ query: "handb", includeDataSources: true });
    expect(nodes).toMatchObject([{ title: "Handbook", type: "folder", preventSelection: true }]);
    expect(await idsOf({ query: "secr", includeDataSources: true })).toEqual([]);
  });

  it("pages without a gap or a repetition", async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await search({ query: "hours", limit: 1, cursor });
      seen.push(...page.nodes.map(({ internalId }) => internalId));
      cursor = page.nextPageCursor;
    } while (cursor !== null);
    expect(seen).toEqual(await idsOf({ query: "hours" }));
    expect(seen).toHaveLength(4);
  });

  it("searches only the named spaces that are reached", async () => {
    expect(await idsOf({ query: "hours", spaceIds: ["vlt_unknown000"] })).toEqual([]);
    const found = { wId, query: "hours", spaceIds: "vlt_unknown000,vlt_other00000" };
    const { knowledgeResults } = await findNodes(
      context,
      parseInput(endpoints["nodes.find"], found),
    );
    expect(knowledgeResults.nodes).toEqual([]);
  });
});
