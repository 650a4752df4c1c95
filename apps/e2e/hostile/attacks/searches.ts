import { createRpcClient } from "parley-client";
import { expect } from "vitest";
import type { Attack, Target } from "../attack.ts";

const DOCUMENTS = 350;
const CONNECTIONS = 16;
const ATTACK_MS = 8000;

/** A text of different words, whose index takes as much room as it can. */
function differentWords(length: number, seed: number): string {
  let text = "";
  for (let at = 0; text.length < length; at++) text += `w${(at * 7919 + seed).toString(36)} `;
  return text;
}

/** Uploads long documents that all have a word; returns how to search them. */
async function uploadDocuments({ urls, workspaceId, adminKey }: Target) {
  const rpc = createRpcClient({ url: urls[0], apiKey: adminKey });
  const wId = workspaceId;
  const { spaces } = await rpc.spaces.list.query({ wId });
  const spaceId = spaces[0]!.sId;
  const name = `Attack ${Math.random().toString(36).slice(2)}`;
  const { dataSourceView } = await rpc.dataSourceViews.create.mutate({ wId, spaceId, name });
  const { sId: dsvId, dataSourceId: dsId } = dataSourceView;
  for (let index = 0; index < DOCUMENTS; index++) {
    const text = `${differentWords(64_000, index)} needle`;
    await rpc.documents.upsert.mutate({ wId, dsId, documentId: `d${index}`, text });
  }
  return { spaceId, dsvId };
}

/** One key that searches for a word that every one of its long documents has, in each way there is. */
export const searchesOfLongDocuments: Attack = {
  name: "16 connections that search 350 long documents",
  run: async (target) => {
    const { urls, workspaceId, userKey } = target;
    const { spaceId, dsvId } = await uploadDocuments(target);
    const until = performance.now() + ATTACK_MS;
    const counts = new Map<string, number>();
    const count = (end: string): void => void counts.set(end, (counts.get(end) ?? 0) + 1);
    const search = async (_: unknown, index: number): Promise<void> => {
      const root = `${urls[index % urls.length]}/api/v1/w/${workspaceId}`;
      const paths = [
        `spaces/${spaceId}/data_source_views/${dsvId}/search?query=needle&top_k=32`,
        "search?query=needle",
        "search?query=w1",
      ];
      for (let turn = index; performance.now() < until; turn++) {
        const response = await fetch(`${root}/${paths[turn % paths.length]}`, {
          headers: { authorization: `Bearer ${userKey}` },
        });
        const body = (await response.json()) as { error?: { type: string; message: string } };
        count(body.error === undefined ? "found" : `${body.error.type}: ${body.error.message}`);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, search));
    const ends = [...counts.keys()];
    process.stdout.write(`searches: ${JSON.stringify(Object.fromEntries(counts))}\n`);
    expect(counts.get("found")).toBeGreaterThan(0);
    // Refused are the searcher's own: no error of the server, nor its refusal of everybody.
    const own = /^found$|Too many requests|The search took too long|searches of the workspace wait/;
    expect(ends.filter((end) => !own.test(end))).toEqual([]);
  },
};
