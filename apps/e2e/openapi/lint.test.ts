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
