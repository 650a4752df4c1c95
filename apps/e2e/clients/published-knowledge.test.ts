import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { openClient, PACKAGE, versions } from "./install-client.ts";
import { installPackages } from "./install-package.ts";
import { type Published, resultOf } from "./published-client.ts";

// Published clients upload, share and search knowledge.

describe("published clients", () => {
  const server = shareServer();
  const calls = createCalls(server);
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), "parley-clients-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  describe.for(versions)(`${PACKAGE} %s`, (version) => {
    let client: Published;
    let missing: string | undefined;
    let dataSourceId: string;
    let spaceId: string;
    beforeAll(async () => {
      const folder = path.join(directory, version);
      missing = await installPackages(folder, [`${PACKAGE}@${version}`]);
      if (missing !== undefined) return;
      const { workspaceId: wId, adminKey: apiKey } = server().demo;
      client = openClient(folder, { url: server().url, workspaceId: wId, apiKey });
      const { space } = await calls.rpc().spaces.create.mutate({ wId, name: version });
      spaceId = space.sId;
      const view = { wId, spaceId, name: `Handbook ${version}` };
      const { dataSourceView } = await calls.rpc().dataSourceViews.create.mutate(view);
      ({ dataSourceId } = dataSourceView);
    });
    beforeEach((context) => {
      if (missing === undefined) return;
      console.warn(missing);
      context.skip(missing);
    });

    const folder = (folderId: string) => ({
      dataSourceId,
      folderId,
      timestamp: 1_780_000_000_000,
      title: `Folder ${version}`,
      parentId: null,
      parents: [folderId],
      mimeType: "application/vnd.dust.folder",
      sourceUrl: null,
      providerVisibility: null,
    });

    test("uploads a folder, finds it and deletes it", async () => {
      const sources = resultOf(await client.getDataSources());
      expect(sources).toContainEqual(expect.objectContaining({ sId: dataSourceId }));
      const written = resultOf(await client.upsertFolder(folder("shops/1")));
      expect(written.folder).toMatchObject({ folder_id: "shops/1", parents: ["shops/1"] });
      const search = {
        query: `folder ${version}`,
        viewType: "all",
        spaceIds: [spaceId],
        limit: 10,
      };
      const found = await client.searchNodes({ ...search, includeDataSources: true });
      expect(resultOf(found)).toMatchObject([
        { internalId: "shops/1", title: `Folder ${version}` },
      ]);
      const named = { nodeIds: ["shops/1"], viewType: "all", spaceIds: [spaceId], limit: 10 };
      const byId = resultOf(await client.searchNodes({ ...named, includeDataSources: false }));
      expect(byId).toHaveLength(1);
      const unified = await client.searchUnified?.({ ...search, includeDataSources: true });
      const events = unified && (await Array.fromAsync(resultOf(unified).eventStream));
      const ids = events?.map(({ knowledgeResults }) => knowledgeResults?.nodes[0]?.internalId);
      // Not of every version.
      expect(ids ?? ["shops/1"]).toEqual(["shops/1"]);
      resultOf(await client.deleteFolder({ dataSourceId, folderId: "shops/1" }));
      expect(resultOf(await client.searchNodes({ ...search, includeDataSources: false }))).toEqual(
        [],
      );
    });

    test("finds a view, and changes what it shows", async () => {
      const params = new URLSearchParams({ dataSourceId, vaultId: spaceId, kind: "default" });
      const [view, ...others] = resultOf(await client.searchDataSourceViews(params));
      if (view === undefined) throw new Error("The view was not found");
      expect([view.dataSource.sId, others]).toEqual([dataSourceId, []]);
      const patched = await client.patchDataSourceView(view, { parentsIn: ["shops"] });
      expect(resultOf(patched)).toMatchObject({ kind: "custom", parentsIn: ["shops"] });
      const change = { parentsToAdd: ["offices"], parentsToRemove: ["shops"] };
      const changed = await client.patchDataSourceView(view, change);
      expect(resultOf(changed).parentsIn).toEqual(["offices"]);
    });

    test("reads a space, and the conversations in it", async (context) => {
      context.skip(client.getSpaceConversationIds === undefined, "the version has no such method");
      const ids = async () =>
        resultOf(await client.getSpaceConversationIds!({ spaceId })).conversationIds;
      const read = async () => {
        const since = { spaceId, updatedSince: 1 };
        return resultOf(await client.getSpaceConversationsForDataSource!(since)).conversations;
      };
      expect([await ids(), await read()]).toEqual([[], []]);
      const contentFragments = [{ title: "note", content: "x", contentType: "text/plain" }];
      const { conversation } = await calls.create("Hello", ["helper"], {
        spaceId,
        contentFragments,
        blocking: true,
      });
      expect(await ids()).toEqual([conversation.sId]);
      // Version 1.2.8 has another form for the content of these conversations alone.
      const isRead = version !== "1.2.8";
      const found = isRead ? await read() : [];
      expect(found.map(({ sId, content }) => [sId, content.length])).toEqual(
        isRead ? [[conversation.sId, 3]] : [],
      );
      if (client.getSpaceMetadata === undefined) return;
      const metadata = resultOf(await client.getSpaceMetadata({ spaceId }));
      expect(metadata).toMatchObject({ metadata: { spaceId } });
      if (client.getSpaceProjectFiles === undefined) return;
      const { files } = resultOf(await client.getSpaceProjectFiles({ spaceId, updatedSince: 1 }));
      expect(files).toMatchObject([{ fileName: "note" }]);
    });
  });
});
