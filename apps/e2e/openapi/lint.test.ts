import { createConfig, lintFromString } from "@redocly/openapi-core";
import { expect, test } from "vitest";
import { send } from "../request.ts";
import { shareServer } from "../server.ts";

const server = shareServer();

test("the strictest of Redocly's rules find nothing in the document", async () => {
  const { text } = await send(server(), { path: "/openapi.json", key: null });
  const config = await createConfig({ extends: ["recommended-strict"] });
  const problems = await lintFromString({
    source: text,
    absoluteRef: "openapi.json",
    config,
  });
  const said = problems.map(
    ({ ruleId, message, location: [place] }) => `${ruleId} ${place?.pointer}: ${message}`,
  );
  expect(said).toEqual([]);
});

interface Document {
  readonly info: { readonly contact?: { readonly name?: string } };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly operationId?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
}

// What Spectral's rules for OpenAPI ask beside those: the tool itself brings 200 packages.
test("the document names whom to ask, and each operation has a description and known tags", async () => {
  const { text } = await send(server(), { path: "/openapi.json", key: null });
  const { info, tags, paths } = JSON.parse(text) as Document;
  expect(info.contact?.name).toBeTruthy();
  const known = new Set(tags.map(({ name }) => name));
  expect(known.size).toBe(tags.length);
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const faulty = operations.filter(
    ({ description, tags: own = [] }) =>
      !description?.trim() || own.length === 0 || !own.every((tag) => known.has(tag)),
  );
  expect(faulty.map(({ operationId }) => operationId)).toEqual([]);
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
});
