import { dataSourceNodes, documentParts, spaces } from "@parley/db";
import { type DivisionState, endpoints, parseInput } from "@parley/schema";
import { asc, eq, isNotNull } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { divideTestDocuments } from "../../testing/retrieval.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { deleteDocument, upsertDocument } from "../knowledge/documents.ts";
import { divideDataSourceNode, listDataSourceNodes } from "../knowledge/node-administration.ts";
import { expireTestLeases } from "../../testing/leases.ts";
import { LostLease } from "../runs/leases.ts";
import { claimDivisions, takeOverDivisions } from "./claim-divisions.ts";
import { type DivisionEnd, divideSome, endDivision } from "./divide-documents.ts";
import { startDivisions } from "./start-divisions.ts";
import type { PartFilters } from "./part-filters.ts";
import { searchParts } from "./search-parts.ts";

describe("the search of parts", () => {
  const test = workspaceTest({ role: "builder" });
  const db = () => test.core.database.db;
  let dsId: string;
  let openId: string;
  const addSource = async (spaceId: string, name = "Handbook") => {
    const given = { wId: test.workspaceId, spaceId, name };
    return (await test.operator.createDataSourceView(given)).dataSourceView.dataSourceId;
  };
  beforeEach(async () => {
    const { space } = await test.operator.createSpace({ wId: test.workspaceId, name: "Open" });
    openId = space.sId;
    dsId = await addSource(openId);
  });

  const upload = (documentId: string, body: object, by = test.context, source = dsId) => {
    const wId = by.caller.workspace.sid;
    const raw = { wId, dsId: source, documentId, ...body };
    return upsertDocument(by, parseInput(endpoints["documents.upsert"], raw));
  };
  const search = async (
    query: string,
    filters: PartFilters = {},
    by: CoreContext = test.context,
  ) => {
    const { signal } = new AbortController();
    const given = { query, filters, limit: 10 };
    return (await searchParts(test.core, { caller: by.caller, signal }, given)).parts;
  };
  const find = async (query: string, filters?: PartFilters, by?: CoreContext) =>
    (await search(query, filters, by)).map(({ documentId }) => documentId);
  const divide = () => divideTestDocuments(test.core);
  const partIds = async () =>
    (
      await db()
        .select()
        .from(documentParts)
        .where(eq(documentParts.nodeId, "long"))
        .orderBy(asc(documentParts.position))
    ).map(({ partId }) => partId);

  const texts = {
    hours: "The shop is opening its doors at nine and closing them at six.",
    refunds: "Customers who are returning goods get a refund within two weeks.",
    german: "Die Rückgaben der Kunden werden in zwei Wochen erstattet, und das ist nicht wenig.",
    part: "Order the spare part ZX-4471-B for the pump of the house.",
    near: "Order the spare part ZX-4499-C for the pump of the garden.",
    japanese: "本日の営業時間は九時から六時までです。",
    thai: "เวลาเปิดทำการของร้านคือเก้าโมงเช้า",
    chinese: "退款将在两周内退还给客户。",
  };

  it.each([
    ["returned goods", "refunds"],
    ["when do they open the door?", "hours"],
    ["Rückgabe Kunde", "german"],
    ["ZX-4471-B", "part"],
    ["zx4471b", "part"],
    ["adres of the custmers refund", "refunds"],
    ["custoners", "refunds"],
    ["営業時間", "japanese"],
    ["เวลาเปิด", "thai"],
    ["退款", "chinese"],
  ])("finds first with %j the document %j", async (query, documentId) => {
    for (const [id, text] of Object.entries(texts)) await upload(id, { text });
    await divide();
    expect((await find(query))[0]).toBe(documentId);
  });

  it.each(["", "the", "!!! ()", "~abc", "'view 1'", "& | !", "zebra"])(
    "finds nothing that is not there with %j",
    async (query) => {
      await upload("refunds", { text: texts.refunds.replaceAll("the", "") });
      await divide();
      expect(await find(query)).toEqual([]);
    },
  );

  it("gives the part of a long document with its place", async () => {
    const filler = Array.from(
      { length: 40 },
      (_, nth) => `Filler ${nth} ${"lorem ipsum ".repeat(20)}`,
    );
    const text = `# Guide\n\n${filler.join("\n\n")}\n\n## Pumps\n\nThe pump is oiled in May.\n\n# End\n\nBye.`;
    await upload("guide", { title: "Guide", text, source_url: "https://example.com/guide" });
    await divide();
    const [first] = await search("oiled pumps");
    expect(first).toMatchObject({
      documentId: "guide",
      title: "Guide",
      sourceUrl: "https://example.com/guide",
      headings: ["Guide", "Pumps"],
      content: "## Pumps\n\nThe pump is oiled in May.",
      foundBy: expect.arrayContaining(["words"]),
    });
    expect((await search("oilledd"))[0]?.foundBy).toEqual(["words"]);
    await upload("pumps", { text: "水泵每年五月上油一次" });
    await divide();
    expect((await search("五月上油"))[0]?.foundBy).toEqual(["pieces"]);
    expect(text.slice(first!.start, first!.end)).toBe(first!.content);
  });

  it("filters by tags, folders, time, data source and selection", async () => {
    const other = await addSource(openId, "Other");
    await upload("a", { text: texts.refunds, tags: ["x"], timestamp: 1000, parents: ["a", "f"] });
    await upload("b", { text: texts.refunds, tags: ["y"], timestamp: 2000 });
    await upload("c", { text: texts.refunds, timestamp: 3000 }, test.context, other);
    await divide();
    const cases: [PartFilters, string[]][] = [
      [{}, ["a", "b", "c"]],
      [{ tagsIn: ["x"] }, ["a"]],
      [{ tagsNot: ["x"] }, ["b", "c"]],
      [{ parentsIn: ["f"] }, ["a"]],
      [{ parentsNot: ["f"] }, ["b", "c"]],
      [{ after: 1000 }, ["b", "c"]],
      [{ before: 2000 }, ["a"]],
      [{ dataSourceIds: [other] }, ["c"]],
      [{ selection: {} }, []],
      [{ selection: { everything: true } }, ["a", "b", "c"]],
      [{ selection: { dataSourceIds: [dsId] } }, ["a", "b"]],
      [{ selection: { folders: [{ dataSourceId: dsId, folderId: "f" }] } }, ["a"]],
      [{ selection: { folders: [{ dataSourceId: other, folderId: "f" }] } }, []],
      [{ selection: { tags: ["y"], dataSourceIds: [other] } }, ["b", "c"]],
    ];
    for (const [filters, found] of cases) {
      expect([filters, (await find("refund", filters)).toSorted()]).toEqual([filters, found]);
    }
  });

  it("finds what the caller reaches, and nothing of others", async () => {
    const { core, workspace, operator } = test;
    const named = await openTestContext(core, workspace, "builder");
    const admin = await openTestContext(core, workspace, "admin");
    const keyIds = [named.caller.apiKey.sid];
    const restricted = { wId: workspace.sid, name: "R", isRestricted: true, keyIds };
    const { space } = await operator.createSpace(restricted);
    const secretId = await addSource(space.sId, "Secret");
    await upload("open", { text: texts.refunds });
    await upload("secret", { text: texts.refunds }, named, secretId);
    await divide();
    const stranger = await openTestContext(core, await insertTestWorkspace(core), "admin");
    const tokenOf = (spaceIds: readonly number[] | undefined): CoreContext => {
      const userToken = {
        sid: "tok_x",
        scopes: new Set(["knowledge:read"] as const),
        spaceIds,
        keyRole: "builder",
        expiresAt: Infinity,
      };
      const caller = { ...named.caller, userToken };
      return Object.assign(Object.create(named) as CoreContext, { caller });
    };
    const [row] = await core.database.db.select().from(spaces).where(eq(spaces.sid, space.sId));
    expect((await find("refund", {}, named)).toSorted()).toEqual(["open", "secret"]);
    expect(await find("refund", {}, admin)).toEqual(["open"]);
    expect(await find("refund", {}, stranger)).toEqual([]);
    expect(await find("refund", {}, tokenOf([]))).toEqual(["open"]);
    expect((await find("refund", {}, tokenOf([row!.id]))).toSorted()).toEqual(["open", "secret"]);
    // What is found in another space is not shown in a conversation that others read.
    expect(await find("refund", { onlyRestrictedSpaceId: null }, named)).toEqual(["open"]);
    expect(await find("refund", { spaceId: row!.id }, named)).toEqual(["secret"]);
  });

  it("finds a changed document by its new text, and writes its changed parts alone", async () => {
    const paragraphs = Array.from(
      { length: 40 },
      (_, nth) => `Number ${nth}. ${"word ".repeat(60)}`,
    );
    await upload("long", { text: paragraphs.join("\n\n") });
    const all = await divide();
    expect(all).toBeGreaterThan(5);
    const before = await partIds();
    await upload("long", { text: paragraphs.join("\n\n").replace("Number 3.", "Zebra 3.") });
    // Until it is divided again, the parts of before are found.
    expect(await find("zebra")).toEqual([]);
    expect(await divide()).toBeLessThan(4);
    expect(await find("zebra")).toEqual(["long"]);
    const after = await partIds();
    expect(after.filter((id) => before.includes(id)).length).toBeGreaterThan(after.length - 4);
    await deleteDocument(
      test.context,
      parseInput(endpoints["documents.delete"], {
        wId: test.workspaceId,
        dsId,
        documentId: "long",
      }),
    );
    expect(await partIds()).toEqual([]);
  });

  it("continues after the last divided document when a worker is lost, which can then write nothing", async () => {
    await upload("a", { text: "An apple" });
    await upload("b", { text: "A pear" });
    expect(await startDivisions(test.core)).toBe(1);
    expect(await startDivisions(test.core)).toBe(0);
    const request = { workerId: "lost", leaseMs: 60_000, limit: 100, after: 0 };
    const claimed = await claimDivisions(test.core, {
      ...request,
      held: new Map(),
      perWorkspace: 9,
    });
    const [lost] = claimed.runs;
    const { viewId } = lost!.subject!;
    const { signal } = new AbortController();
    await expireTestLeases(test.core);
    const given = { workerId: "next", leaseMs: 60_000, limit: 5 };
    const [taken] = await takeOverDivisions(test.core, given);
    await expect(divideSome(test.core, { run: lost!, viewId }, signal)).rejects.toThrow(LostLease);
    expect(await find("apple")).toEqual([]);
    const batch = await divideSome(test.core, { run: taken!, viewId }, signal);
    expect(batch).toEqual({ documents: 2, parts: 2 });
    // What is written again while the run goes on is divided by it too.
    await upload("a", { text: "A plum" });
    expect((await divideSome(test.core, { run: taken!, viewId }, signal)).documents).toBe(1);
    expect((await divideSome(test.core, { run: taken!, viewId }, signal)).documents).toBe(0);
    await endDivision(test.core, taken!);
    expect([await find("plum"), await find("pear"), await find("apple")]).toEqual([
      ["a"],
      ["b"],
      [],
    ]);
    expect(await startDivisions(test.core)).toBe(0);
  });

  it("says of a document that cannot be divided in time why, and divides it again when asked", async () => {
    await upload("broken", { text: "broken" });
    await upload("slow", { text: "slow" });
    await upload("text", { text: texts.refunds });
    const { dataSourceViews } = await test.operator.listDataSourceViews({ wId: test.workspaceId });
    const { sId: dataSourceViewId } = dataSourceViews[0]!;
    const states = async (state?: DivisionState) => {
      const named = { wId: test.workspaceId, dataSourceViewId, state };
      const { nodes, totals } = await listDataSourceNodes(
        test.context,
        parseInput(endpoints["dataSourceNodes.list"], named),
      );
      return { totals, states: nodes.map(({ nodeId, division }) => [nodeId, division?.state]) };
    };
    expect((await states()).totals).toMatchObject({ nodes: 3, waiting: 3, failed: 0 });
    await startDivisions(test.core);
    const request = { workerId: "w", leaseMs: 60_000, limit: 9, after: 0, perWorkspace: 9 };
    const { runs } = await claimDivisions(test.core, { ...request, held: new Map() });
    const run = runs[0]!;
    const { viewId } = run.subject!;
    const { signal } = new AbortController();
    const ends: string[] = [];
    const onEnd = ({ outcome }: DivisionEnd) => ends.push(outcome);
    const url = new URL("../../testing/misbehaving-thread.ts", import.meta.url).href;
    const job = { url, name: "divideBadly", deadlineMs: 200 };
    await divideSome(test.core, { run, viewId, job, onEnd }, signal);
    expect(ends).toEqual(["failed", "failed", "divided"]);
    expect(await states()).toMatchObject({
      totals: { waiting: 0, failed: 2 },
      states: [
        ["broken", "failed"],
        ["slow", "failed"],
        ["text", "divided"],
      ],
    });
    expect((await states("divided")).states).toEqual([["text", "divided"]]);
    const failures = await db()
      .select({ failure: dataSourceNodes.divisionFailure })
      .from(dataSourceNodes)
      .where(isNotNull(dataSourceNodes.divisionFailure))
      .orderBy(asc(dataSourceNodes.nodeId));
    expect(failures.map(({ failure }) => failure)).toEqual([
      "Its text could not be divided",
      "Its text could not be divided within 0.2 seconds",
    ]);
    expect(await find("slow")).toEqual([]);
    const again = { wId: test.workspaceId, dataSourceViewId, nodeId: "slow" };
    await divideDataSourceNode(test.context, again);
    expect((await states("waiting")).states).toEqual([["slow", "waiting"]]);
    await divideSome(test.core, { run, viewId, onEnd }, signal);
    await endDivision(test.core, run);
    expect((await states("failed")).states).toEqual([["broken", "failed"]]);
    expect(await find("slow")).toEqual(["slow"]);
    await expect(divideDataSourceNode(test.context, { ...again, nodeId: "none" })).rejects.toThrow(
      "no such document",
    );
  });
});
