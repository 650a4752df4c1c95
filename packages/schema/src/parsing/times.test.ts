import { expect, it } from "vitest";
import type { Endpoint } from "../endpoint.ts";
import { endpoints } from "../endpoints.ts";
import { parseInput } from "./parse-input.ts";
import { timesIn } from "./times.ts";

const at = new Date(1_780_000_000_000);
const times = Object.entries(endpoints).flatMap(([name, endpoint]) =>
  timesIn(endpoint).map((member) => [name, member] as const),
);
const place = { wId: "w", spaceId: "s", dsId: "d", dsvId: "v", folderId: "f", documentId: "d" };
const price = { providerId: "p", modelId: "m", input: "1", output: "1" };
const rest = {
  ...price,
  name: "n",
  role: "user",
  title: "t",
  mime_type: "a/b",
  keyId: "k",
  text: "t",
  csv: "c",
  webhookId: "w",
  traceDestinationId: "t",
  from: 0,
};

it("times are these members of inputs", () => {
  expect(times.map((time) => time.join(" "))).toEqual([
    "feedbacks.list since",
    "operatorKeys.create expiresAt",
    "apiKeys.create expiresAt",
    "apiKeys.update expiresAt",
    "spaces.listConversations updatedSince",
    "spaces.listProjectFiles updatedSince",
    "documents.upsert timestamp",
    "folders.upsert timestamp",
    "dataSources.search timestamp_gt",
    "dataSources.search timestamp_lt",
    "tables.upsert timestamp",
    "tables.uploadCsv timestamp",
    "dataSourceViews.searchDocuments timestamp_gt",
    "dataSourceViews.searchDocuments timestamp_lt",
    "knowledge.search after",
    "knowledge.search before",
    "prices.set validFrom",
    "prices.setServer validFrom",
    "webhooks.replay from",
    "webhooks.replay to",
    "measures.get from",
    "measures.get to",
    "measures.getServer from",
    "measures.getServer to",
    "traceDestinations.export from",
    "traceDestinations.export to",
    "runs.list from",
    "runs.list to",
    "runs.list endedFrom",
    "runs.list endedTo",
    "conversations.listAll from",
    "conversations.listAll to",
    "search.messages from",
    "search.messages to",
    "audit.list since",
    "audit.list until",
  ]);
});

it.each(times)("a time of %s may be a Date over the RPC: %s", (name, member) => {
  const endpoint: Endpoint = endpoints[name as keyof typeof endpoints];
  const known = new Set(
    [endpoint.params, endpoint.query, endpoint.body].flatMap((part) =>
      Object.keys(part?.shape ?? {}),
    ),
  );
  const others = Object.entries({ ...place, ...rest, query: "q", top_k: 1 }).filter(([key]) =>
    known.has(key),
  );
  const flat = (time: unknown) => ({ ...Object.fromEntries(others), [member]: time });
  const parsed = parseInput(endpoint, flat(at)) as Record<string, unknown>;
  expect(parsed[member]).toBe(at.getTime());
  expect(parsed).toEqual(parseInput(endpoint, flat(at.getTime())));
  const tooLate = 8_640_000_000_000_001;
  for (const none of [new Date(Number.NaN), [at], at.toISOString(), tooLate]) {
    expect(() => parseInput(endpoint, flat(none))).toThrow(new RegExp(`Invalid .*${member}`));
  }
});
