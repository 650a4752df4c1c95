import { endpoints, type EndpointName, parseInput } from "@parley/schema";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { divideTestDocuments } from "../../testing/retrieval.ts";
import { upsertDocument } from "./documents.ts";
import {
  checkUpsertQueue,
  getDataSource,
  getDocumentBlob,
  setDocumentParents,
} from "./further-documents.ts";
import { searchDataSource } from "./search-documents.ts";
import { updateDataSourceView } from "./views.ts";

describe("further operations on data sources", () => {
  const test = workspaceTest({ role: "builder" });
  let dsId: string;
  let dsvId: string;
  let spaceId: string;
  const parse = <N extends EndpointName>(name: N, input: object) =>
    parseInput(endpoints[name], {
      wId: test.workspaceId,
      dsId,
      ...input,
    });
  beforeEach(async () => {
    spaceId = (await test.operator.createSpace({ wId: test.workspaceId, name: "S" })).space.sId;
    const given = { wId: test.workspaceId, spaceId, name: "Handbook" };
    const { dataSourceView } = await test.operator.createDataSourceView(given);
    ({ dataSourceId: dsId, sId: dsvId } = dataSourceView);
    const body = { text: "We open at nine.", tags: ["t"], timestamp: 7, title: "Hours" };
    await upsertDocument(test.context, parse("documents.upsert", { documentId: "d", ...body }));
  });
  const typeOf = async (call: Promise<unknown>) =>
    call.then(
      () => "none",
      (error: { type: string }) => error.type,
    );

  it("reads a data source, and a document as it was uploaded", async () => {
    const { data_source } = await getDataSource(test.context, parse("dataSources.get", {}));
    expect(data_source).toMatchObject({ sId: dsId, name: "Handbook" });
    const read = await getDocumentBlob(
      test.context,
      parse("documents.getBlob", { documentId: "d" }),
    );
    expect(endpoints["documents.getBlob"].output.strict().parse(read)).toEqual(read);
    expect(read.blob).toEqual({
      document_id: "d",
      timestamp: 7,
      tags: ["t"],
      parent_id: null,
      parents: ["d"],
      source_url: null,
      section: { prefix: null, content: "We open at nine.", sections: [] },
      title: "Hours",
      mime_type: "text/plain",
      provider_visibility: null,
    });
    const unknown = getDocumentBlob(test.context, parse("documents.getBlob", { documentId: "x" }));
    expect(await typeOf(unknown)).toBe("data_source_document_not_found");
  });

  it("counts the documents that are not divided yet", async () => {
    const count = async () =>
      checkUpsertQueue(test.context, parse("dataSources.checkUpsertQueue", {}));
    expect(await count()).toEqual({ running_count: 1 });
    await divideTestDocuments(test.core);
    expect(await count()).toEqual({ running_count: 0 });
  });

  it("moves a document, and refuses parents that contradict each other", async () => {
    const move = async (documentId: string, body: object) =>
      setDocumentParents(test.context, parse("documents.setParents", { documentId, ...body }));
    expect(await move("d", { parents: ["d", "f", "g"], parent_id: "f" })).toEqual({
      updated: true,
    });
    const { blob } = await getDocumentBlob(
      test.context,
      parse("documents.getBlob", { documentId: "d" }),
    );
    expect(blob).toMatchObject({ parents: ["d", "f", "g"], parent_id: "f", timestamp: 7 });
    expect(await typeOf(move("d", { parents: ["d", "f"], parent_id: "g" }))).toBe(
      "invalid_request_error",
    );
    expect(await typeOf(move("x", { parents: ["x"] }))).toBe("data_source_document_not_found");
  });

  it("searches a data source as its view does", async () => {
    const find = async () => {
      const input = parse("dataSources.search", { query: "open" });
      return (await searchDataSource(test.context, input)).documents.map((one) => one.document_id);
    };
    expect(await find()).toEqual(["d"]);
    const shown = { spaceId, dsvId, parentsIn: ["elsewhere"] };
    await updateDataSourceView(
      test.context,
      parseInput(endpoints["dataSourceViews.update"], { wId: test.workspaceId, ...shown }),
    );
    expect(await find()).toEqual([]);
  });
});
