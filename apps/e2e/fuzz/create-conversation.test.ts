import { isNightly, testSeed } from "@parley/db/testing";
import { CreatedConversation, type ErrorBody, errorTable, type ErrorType } from "@parley/schema";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createdConversation } from "../conformance/wire-shapes.ts";
import { type Answer, expectError, jsonOf, pathsOf, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { expectShape } from "../shape.ts";
import { createCalls } from "../siblings/calls.ts";
import { type Json, type Known, validBodies } from "./bodies.ts";
import { type Faulty, faultsOf } from "./faults.ts";

// Whatever is right is accepted and answered whole; whatever is not is refused as the error table
// says. A failure prints the seed, the path to the case and its smallest form.

const CASES = isNightly ? 50_000 : 2000;
const PARALLEL = 8;

const server = shareServer();
const calls = createCalls(server);

async function prepare(): Promise<Known> {
  const { workspaceId, spaceId } = server().demo;
  const view = { wId: workspaceId, spaceId, name: "Fuzz" };
  const { dataSourceView } = await calls.rpc().dataSourceViews.create.mutate(view);
  const node = { nodeId: "n/1", nodeDataSourceViewId: dataSourceView.sId };
  await calls.rpc().dataSourceNodes.put.mutate({
    wId: workspaceId,
    dataSourceViewId: dataSourceView.sId,
    nodeId: node.nodeId,
    nodeType: "table",
    title: "Node",
    content: "a,b",
  });
  const models = [
    { providerId: "noop", modelId: "noop" },
    { providerId: "simulated", modelId: "simulated-1" },
  ];
  return { agents: ["helper", "faulty"], spaceId, node, models };
}

const post = (body: string | Buffer, contentType = "application/json") =>
  send(server(), {
    method: "POST",
    path: pathsOf(server()).conversations,
    headers: { "content-type": contentType },
    body,
  });

/** What a response shows of a context: without what is null or unknown. */
function shownContext(context: unknown): Json {
  const members = Object.entries((context ?? {}) as Json).filter(
    ([name, value]) => value !== null && !name.startsWith("x_"),
  );
  const shown: Json = Object.fromEntries(members);
  const { agenticMessageData: data } = shown as { agenticMessageData?: Json };
  if (data) {
    const { type, originMessageId } = data;
    shown["agenticMessageData"] = { type, originMessageId };
  }
  return { username: "API User", timezone: "UTC", ...shown };
}

/** Expects that a right body was taken, with all that it says. */
function expectCreated(answer: Answer, body: Json, known: Known): void {
  const { raw, parsed } = jsonOf(answer, CreatedConversation);
  expectShape(raw, createdConversation);
  const { conversation, message, warnings = [] } = parsed;
  const sent = body["message"] as { content: string; mentions: { configurationId: string }[] };
  const mentioned = sent.mentions.map(({ configurationId }) => configurationId);
  const agents = [...new Set(mentioned.filter((id) => known.agents.includes(id)))];
  const fragments = (body["contentFragments"] ?? []) as Json[];
  const positions = conversation.content.map(([only]) => only);
  expect(conversation.content.every((versions) => versions.length === 1)).toBe(true);
  expect(positions.map((one) => one?.type)).toEqual([
    ...fragments.map(() => "content_fragment"),
    "user_message",
    ...agents.map(() => "agent_message"),
  ]);
  expect(positions[fragments.length]).toEqual(message);
  expect(message.content).toBe(sent.content);
  expect(message.mentions).toEqual(mentioned.map((configurationId) => ({ configurationId })));
  const context = shownContext((sent as Json)["context"]);
  expect(message.context).toEqual({ ...context, origin: "api" });
  // What the body has beside is named too: whatever is drawn there.
  const isIgnored = ({ message: text }: { message: string }) =>
    /^Unknown fields?, ignored/.test(text);
  // Twenty are named, and one more counts the rest.
  expect(warnings.filter(isIgnored).length).toBeLessThanOrEqual(21);
  const isOfServers = ({ path }: { path: string }) => path.includes("clientSideMCPServerIds");
  const meant = warnings.filter((warning) => !isIgnored(warning));
  // A name in the text of a message without mentions.
  const isOfText = ({ path }: { path: string }) => path === "message.mentions";
  expect(meant.filter(isOfText).length).toBeLessThanOrEqual(mentioned.length === 0 ? 1 : 0);
  const unresolved = meant.filter((warning) => !isOfServers(warning) && !isOfText(warning));
  // No server of a client is there, whatever is drawn.
  const { clientSideMCPServerIds: named } = ((sent as Json)["context"] ?? {}) as Json;
  const servers = Array.isArray(named) ? named : [];
  expect(meant.filter(isOfServers).length).toBe(servers.length);
  expect(unresolved.map(({ path }) => path)).toEqual(
    mentioned.flatMap((id, index) =>
      known.agents.includes(id) ? [] : [`message.mentions[${index}].configurationId`],
    ),
  );
  expect(conversation.title).toBe(body["title"] ?? conversation.title);
  for (const [index, fragment] of fragments.entries()) {
    const { title } = fragment;
    // Servers belong to messages: the context of a fragment has no such member.
    const { clientSideMCPServerIds: _servers, ...about } = shownContext(fragment["context"]);
    expect(positions[index]).toMatchObject({ title, context: about });
  }
  const states = positions.map((one) => (one?.type === "agent_message" ? one.status : "none"));
  const endOf = (agent: string) => (agent === "faulty" ? "failed" : "succeeded");
  expect(states.slice(fragments.length + 1)).toEqual(
    agents.map((agent) => (body["blocking"] === true ? endOf(agent) : "created")),
  );
}

/** Expects the fault's own error or, if the body may still be right, an answer of the table. */
function expectRefused(answer: Answer, { type, field = "" }: Faulty): void {
  if (answer.status === 200 && type === undefined) {
    jsonOf(answer, CreatedConversation);
    return;
  }
  const { error } = JSON.parse(answer.text) as ErrorBody;
  expectError(answer, type ?? (error.type as ErrorType), {
    status: 400,
    ...(error.type === "invalid_request_error" && { message: "Invalid request body: " }),
  });
  expect(Object.keys(errorTable)).toContain(error.type);
  // A refusal also names members that may be misspelt ones.
  const issues = (error.issues ?? []).filter(({ message }) => !message.includes("did you mean"));
  const paths = issues.map(({ path }) => path);
  expect(paths.filter((path) => !path.startsWith(field))).toEqual([]);
  expect(paths.length > 0 || field === "", answer.text).toBe(true);
}

test(
  `${CASES} bodies are taken or refused (seed ${testSeed})`,
  { timeout: 1_800_000 },
  async () => {
    const known = await prepare();
    const valid = validBodies(known);
    const cases = fc.oneof(
      valid.map((body) => ({ body, fault: undefined })),
      valid.chain((body) => faultsOf(body).map((fault) => ({ body, fault }))),
    );
    const property = () =>
      fc.asyncProperty(cases, async ({ body, fault }) => {
        if (fault === undefined)
          return expectCreated(await post(JSON.stringify(body)), body, known);
        expectRefused(await post(fault.body, fault.contentType), fault);
      });
    const numRuns = CASES / PARALLEL;
    await Promise.all(
      Array.from({ length: PARALLEL }, (_, lane) =>
        fc.assert(property(), { seed: testSeed + lane, numRuns }),
      ),
    );
    // What the server itself could not explain, it logged.
    expect(
      server()
        .output.stderr.split("\n")
        .filter((line) => /"level":[56]0/.test(line)),
    ).toEqual([]);
  },
);
