import { startFakeEmbeddings } from "@parley/agent/testing";
import { expect, onTestFinished, test } from "vitest";
import { createPlace, eventually, startServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { createParley } from "parley-client";

// A server is killed while a service makes vectors: those that are written stay, and the others are made by the next one.

const model = { providerId: "openai_compatible", modelId: "small" } as const;
const DOCUMENTS = 200;
/** Parts of one call. */
const BATCH = 64;

test(
  "a kill while vectors are made loses none, and repeats one call",
  { timeout: 240_000 },
  async () => {
    const service = await startFakeEmbeddings({ synonyms: { lawyer: "attorney" } });
    onTestFinished(service.close);
    const settings = { PARLEY_LEASE_MS: "500", PARLEY_OPENAI_COMPATIBLE_URL: service.url };
    await using place = await createPlace();
    let server = await startServer(place, settings);
    const { workspaceId: wId, adminKey: apiKey } = server.demo;
    const calls = createCalls(() => server);
    const parley = () => createParley({ baseUrl: server.url, workspaceId: wId, apiKey });
    const { space } = await calls.rpc().spaces.create.mutate({ wId, name: "Law" });
    const view = { wId, spaceId: space.sId, name: "Law" };
    const { dataSourceView } = await calls.rpc().dataSourceViews.create.mutate(view);
    const { dataSourceId: dsId } = dataSourceView;
    for (let nth = 0; nth < DOCUMENTS; nth++) {
      const named = { dsId, documentId: `d${nth}`, title: `Number ${nth}` };
      // oxlint-disable-next-line no-await-in-loop -- a few requests
      await parley().documents.upsert({ ...named, text: `Attorney ${nth}.`, async: true });
    }
    await eventually(async () => {
      const { running_count: left } = await parley().dataSources.checkUpsertQueue({ dsId });
      return left === 0 ? { value: true } : {};
    }, 60_000);
    service.delayMs = 1000;
    await calls.rpc().workspaces.update.mutate({ wId, embedding: model });
    const status = () => calls.rpc().knowledge.status.query({ wId });
    // The third call is under way.
    await eventually(async () => (service.requests.length > 2 ? { value: true } : {}), 60_000);
    await server.kill();
    service.delayMs = 0;
    server = await startServer(place, settings);
    await eventually(async () => {
      const { embedding } = await status();
      return embedding?.state === "complete" ? { value: true } : {};
    }, 90_000);
    expect(await status()).toMatchObject({ embeddedParts: DOCUMENTS, parts: DOCUMENTS });
    const asked = service.requests.flatMap(({ input }) => input);
    expect(new Set(asked).size).toBe(DOCUMENTS);
    expect(asked.length).toBeLessThanOrEqual(DOCUMENTS + BATCH);
    const found = await parley().knowledge.search({ query: "lawyer" });
    expect(found).toMatchObject({ mode: "exact", modeReason: null });
    expect(found.parts).toHaveLength(10);
    const ready = await fetch(new URL("/readyz", server.url));
    expect(await ready.json()).toMatchObject({ documents: "exact" });
  },
);
