import { endpoints } from "@parley/schema";
import { expect, test } from "vitest";
import { createParley } from "./parley.ts";
import { fillPath } from "./routes.ts";
import { routes } from "./schema-tables.ts";

/** What the client calls over the RPC alone: methods would grow what every page loads of it. */
const overRpc = [
  "tables.list",
  "tables.upsert",
  "tables.uploadCsv",
  "tables.get",
  "tables.delete",
  "tables.setParents",
  "tableRows.list",
  "tableRows.upsert",
  "tableRows.get",
  "tableRows.delete",
];

const http = Object.entries(endpoints).flatMap(([name, endpoint]) =>
  "auth" in endpoint || overRpc.includes(name) ? [] : [{ name, ...endpoint }],
);

/** Where the client has the method of an endpoint. */
function placeOf(name: string): string[] {
  if (name === "sandboxFunctions.events") return ["invocations", "follow"];
  return name.replace("sandboxFunctions.", "functions.").replace(".events", ".follow").split(".");
}

test.for(http.map(({ name }) => name))("%s has a method", (name) => {
  const parley = createParley({ baseUrl: "http://x", workspaceId: "w", apiKey: "sk-1" });
  const [group = "", method = ""] = placeOf(name);
  expect(parley).toHaveProperty([group, method], expect.any(Function));
});

test("a client has no methods but those of endpoints, messages.followChunks and messages.text", () => {
  const parley = createParley({ baseUrl: "http://x", workspaceId: "w", apiKey: "sk-1" });
  const methods = Object.entries(parley).flatMap(([group, members]) =>
    Object.keys(members as object).map((method) => `${group}.${method}`),
  );
  const known = [
    ...http.map(({ name }) => placeOf(name).join(".")),
    "messages.followChunks",
    "messages.text",
  ];
  expect(methods.toSorted()).toEqual(known.toSorted());
});

test.for(overRpc)("%s is of the server, and adds no route to the client", (name) => {
  expect([name in endpoints, name in routes]).toEqual([true, false]);
});

test("ids are escaped, and none leads to another path", () => {
  const { path, taken } = fillPath("messages.retry", "w/1", {
    conversationId: "a?b",
    messageId: "c#d/../e",
  });
  expect(path).toBe("/api/v1/w/w%2F1/assistant/conversations/a%3Fb/messages/c%23d%2F..%2Fe/retry");
  expect([...taken]).toEqual(["conversationId", "messageId"]);
  for (const id of ["", ".", "..", undefined, 7]) {
    const fill = () => fillPath("conversations.get", "w", { conversationId: id });
    expect(fill).toThrow("conversations.get: conversationId must be an id");
  }
});

test("numbers of paths are given as numbers", () => {
  const fill = (number: unknown) =>
    fillPath("summaries.update", "w", { conversationId: "c", number });
  expect(fill(12).path).toBe("/api/v1/w/w/assistant/conversations/c/summaries/12");
  for (const number of ["12", "", 1.5, Number.NaN, undefined]) {
    expect(() => fill(number)).toThrow("summaries.update: number must be an integer");
  }
});
