import {
  agentFavorites,
  agentFunctions,
  agents,
  conversationSummaries,
  fileTexts,
  functionApprovals,
  idempotencyKeys,
  isWorkspaceDeleted,
  skillAttachments,
  skillEditors,
  skillOriginals,
  skills,
  skillTools,
  spaces,
} from "@parley/db";
import { endpoints, ParleyError, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { coreTest } from "../testing/core-test.ts";
import { announceTestFile, uploadTestFile } from "../testing/files.ts";
import { countTestRows, refusalOf } from "../testing/operator.ts";
import { insertTestRequest } from "../testing/requests.ts";
import { divideTestDocuments, insertTestVectors } from "../testing/retrieval.ts";
import { insertTestMemories } from "../testing/memories.ts";
import { insertTestDocument, insertTestTable } from "../testing/tables.ts";
import { insertTestSearch } from "../testing/search.ts";
import { claimRuns } from "../testing/runs.ts";
import {
  clearRuns,
  createTestConversation,
  insertTestAgent,
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
  postTestMessage,
} from "../testing/testing.ts";
import { createTestAutomation } from "../testing/automation.ts";
import { insertTestMeasures } from "../testing/measures.ts";
import { insertTestUsage } from "../testing/usage.ts";
import { insertTestTool, insertTestToolRows } from "../testing/tool-servers.ts";
import { createSession } from "./access/sessions.ts";
import { createCredentials } from "./access/credentials.ts";
import { generateApiKey } from "./access/key-secrets.ts";
import { listConversations } from "./conversations/conversations.ts";
import { putFunctionSecret } from "./functions/function-secrets.ts";
import { finishInvocations } from "./invocations/finish-invocations.ts";
import { giveFeedback } from "./conversations/feedbacks.ts";
import { findInvocationStream, invokeSandboxFunction } from "./invocations/invoke.ts";
import { loadInvocation } from "./invocations/load-invocation.ts";
import { appendEvents } from "./log/append.ts";
import { followLog } from "./log/follow.ts";
import { storeNewVersion } from "./skills/skill-versions.ts";
import { insertApiKey, rotateApiKey } from "./workspaces/api-keys.ts";
import { createUserToken } from "./workspaces/user-tokens.ts";
import { createSecretBox } from "./workspaces/secret-box.ts";
import { registerClientServer } from "./tools/client-servers.ts";
import { createWebSource } from "./web-sources/web-sources.ts";
import { createTraceDestination } from "./trace-destinations/trace-destinations.ts";

/** What a create was refused with, if it is known to be refused so. */
function toKnown(error: unknown): string {
  if (isWorkspaceDeleted(error)) return "deleted";
  return error instanceof ParleyError ? error.type : "unknown";
}

describe("deleteWorkspace", () => {
  const test = coreTest({
    safetyPollMs: 60_000,
    secretBox: createSecretBox([new Uint8Array(32)]),
  });
  beforeEach(() => clearRuns(test.core));
  const db = () => test.core.database.db;
  /** A workspace with something in every table. */
  const fill = async () => {
    const workspace = await insertTestWorkspace(test.core);
    const workspaceId = workspace.sid;
    const context = await openTestContext(test.core, workspace, "admin");
    const user = { ...context.caller.user };
    await insertTestAgent(test.core, workspace, { sid: "ann" });
    await test.operator.updateAgent({ wId: workspaceId, agentId: "ann", editorIds: [user.sid] });
    await test.operator.addMember({ wId: workspaceId, email: "ada@example.com", firstName: "Ada" });
    const keyIds = [context.caller.apiKey.sid];
    const { space } = await test.operator.createSpace({ wId: workspaceId, name: "S", keyIds });
    const view = { wId: workspaceId, spaceId: space.sId, name: "V" };
    const { dataSourceView } = await test.operator.createDataSourceView(view);
    const dataSourceViewId = await insertTestTable(context, dataSourceView);
    await insertTestDocument(test.operator, { wId: workspaceId, dataSourceViewId });
    await divideTestDocuments(test.core);
    await insertTestVectors(test.core, workspace.id);
    const times = { createdAt: 0, updatedAt: 0 };
    const described = { agentFacingDescription: "", userFacingDescription: "" };
    const [skill] = await db()
      .insert(skills)
      .values({
        ...times,
        ...described,
        sid: test.core.newId("skl"),
        workspaceId: workspace.id,
        name: "Skill",
        status: "active",
        availability: "workspace_users",
        reinforcement: "off",
        editedBy: user.id,
      })
      .returning();
    const text = { workspaceId: workspace.id, sha256: "x", extractor: "pdf-1", createdAt: 0 };
    await db().insert(fileTexts).values(text);
    const file = { skillId: skill!.id, position: 0, fileId: "fil_x", fileName: "x" };
    await db().insert(skillAttachments).values(file);
    await db().insert(skillOriginals).values({ skillId: skill!.id, skillFile: "x" });
    const [row] = await db().select().from(spaces).where(eq(spaces.sid, space.sId));
    const toolId = await insertTestTool(test.core, { workspaceId: workspace.id, spaceId: row!.id });
    await db().insert(skillTools).values({ skillId: skill!.id, toolId, position: 0 });
    await db().insert(skillEditors).values({ skillId: skill!.id, userId: user.id });
    await storeNewVersion(context, db(), skill!.id);
    await test.operator.updateAgent({ wId: workspaceId, agentId: "ann", skillIds: [skill!.sid] });
    const { id: functionId } = await insertTestFunction(test.core, workspace, { slug: "add" });
    await db().insert(functionApprovals).values({ userId: user.id, functionId, createdAt: 0 });
    const [agent] = await db().select().from(agents).where(eq(agents.workspaceId, workspace.id));
    await db().insert(agentFunctions).values({ agentId: agent!.id, functionId, position: 0 });
    const raw = { wId: workspaceId, functionId: "add" };
    const invoke = () =>
      invokeSandboxFunction(context, parseInput(endpoints["sandboxFunctions.invoke"], raw));
    const { invocation } = await invoke();
    await announceTestFile(context, { fileSize: 5 });
    await createTestAutomation(context);
    const sent = { wId: workspaceId, name: "Collector", url: "https://x.example/v1/traces" };
    await createTraceDestination(context, parseInput(endpoints["traceDestinations.create"], sent));
    const site = { wId: workspaceId, dataSourceViewId, url: "https://x.example/", kind: "page" };
    await createWebSource(context, parseInput(endpoints["webSources.create"], site));
    await insertTestMeasures(test.core, workspace.id);
    const token = { wId: workspaceId, externalId: "ada", scopes: ["files:read"] };
    await createUserToken(context, parseInput(endpoints["userTokens.create"], token));
    const rotation = { wId: workspaceId, keyId: keyIds[0]! };
    await rotateApiKey(context, parseInput(endpoints["apiKeys.rotate"], rotation));
    await test.operator.putProviderCredential({ wId: workspaceId, providerId: "xai", apiKey: "x" });
    const { sId: fileId } = await uploadTestFile(context, "x".repeat(300_000));
    const inline = { title: "t", content: "inline", contentType: "text/plain" };
    const contentFragments = [{ title: "t", fileId }, inline];
    const { conversation } = await createTestConversation(context, ["ann"], { contentFragments });
    const model = { providerId: "simulated", modelId: "simulated-1" };
    const of = { workspaceId: workspace.id, conversationId: conversation.id, agentId: agent!.id };
    const summary = { ...model, ...of, sid: test.core.newId(), number: 1, answerId: "x" };
    const ended = { ...summary, status: "active" as const, createdAt: 0 };
    await db().insert(conversationSummaries).values(ended);
    const ofTool = { toolId, userId: user.id, agentId: agent!.id };
    await insertTestToolRows(test.core, { ...ofTool, cId: conversation.sId });
    const mId = conversation.content.at(-1)![0]!.sId;
    await insertTestRequest(test.core, { ...of, messageId: mId });
    const feedback = { wId: workspaceId, cId: conversation.sId, mId, thumbDirection: "up" };
    await giveFeedback(context, parseInput(endpoints["feedbacks.give"], feedback));
    await putFunctionSecret(context, { wId: workspaceId, name: "KEY", value: "x" });
    await createSession(context);
    await insertTestUsage(test.core, workspace);
    await insertTestSearch(context);
    await insertTestMemories(context);
    await db().insert(agentFavorites).values({ userId: user.id, agentSid: "ann", createdAt: 0 });
    const key = { fingerprint: "", createdId: "", createdAt: 0, workspaceId: workspace.id };
    const kept = { ...key, scope: "s" };
    await db().insert(idempotencyKeys).values(kept);
    const stream = { functionId: "add", invocationId: invocation.sId, include: [] };
    await registerClientServer(context, { serverName: "editor" });
    return { workspaceId, context, invocation, invoke, stream, cId: conversation.sId };
  };

  it("leaves nothing of it in any table, and all of another", async () => {
    const kept = await fill();
    const before = await countTestRows(test.core);
    const gone = await fill();
    const filled = await countTestRows(test.core);
    const unchanged = Object.keys(filled).filter((name) => filled[name] === before[name]);
    // What only a tool call writes is deleted with its conversation; the audit log is kept, and secrets, workers and
    // the positions of sums and of the search are the server's. What was counted is in another test.
    const counts = ["activity_minutes", "load_samples"];
    const ofServer = ["server_secrets", "workers", "measure_positions", "message_index"];
    expect(unchanged).toEqual([...counts, "audit_events", "actions", ...ofServer]);
    await createTestConversation(gone.context, ["ann", "ann"]);
    expect(await test.operator.deleteWorkspace({ wId: gone.workspaceId })).toEqual({
      success: true,
    });
    expect(await countTestRows(test.core)).toEqual(before);
    const page = await listConversations(kept.context, { limit: 10, lastValue: undefined });
    expect(page.conversations).toMatchObject([{ sId: kept.cId }]);
    const again = test.operator.deleteWorkspace({ wId: gone.workspaceId });
    expect(await refusalOf(again)).toBe("404 workspace_not_found");
  });

  it("leaves nothing of what is created in the meantime, in any table, and no run", async () => {
    const before = await countTestRows(test.core);
    const { workspaceId, context, invoke, cId } = await fill();
    const inline = { title: "t", content: "inline", contentType: "text/plain" };
    const creates = [
      () => createTestConversation(context, ["ann", "ann"]),
      () => createTestConversation(context, ["ann"], { contentFragments: [inline] }),
      () => invoke(),
      () => postTestMessage(context, cId, { agentIds: ["ann"] }),
      () => announceTestFile(context, { fileSize: 5 }),
      () =>
        test.operator.addMember({
          wId: workspaceId,
          email: `${test.core.newId()}@x.test`,
          firstName: "A",
        }),
    ];
    let isOver = false;
    let accepted = 0;
    const refusals = new Set<string>();
    const keepOn = async (create: () => Promise<unknown>): Promise<void> => {
      while (!isOver) {
        try {
          await create();
          accepted++;
        } catch (error) {
          refusals.add(toKnown(error));
          if (!(error instanceof Error)) throw error;
        }
      }
    };
    const creating = [...creates, ...creates].map(keepOn);
    while (accepted < 20) await new Promise((resolve) => setImmediate(resolve));
    await test.operator.deleteWorkspace({ wId: workspaceId });
    for (let round = 0; round < 3; round++) await countTestRows(test.core);
    isOver = true;
    await Promise.all(creating);
    expect(await countTestRows(test.core)).toEqual(before);
    expect(refusals).not.toContain("unknown");
  });

  it("refuses its keys at once", async () => {
    const workspace = await insertTestWorkspace(test.core);
    const secret = generateApiKey();
    const key = { workspaceId: workspace.id, name: "k", role: "admin", secret } as const;
    await insertApiKey(test.core, db(), key);
    const credentials = createCredentials(test.core);
    await credentials.authenticate(`Bearer ${secret}`);
    await test.operator.deleteWorkspace({ wId: workspace.sid });
    const refused = await refusalOf(credentials.authenticate(`Bearer ${secret}`));
    credentials.close();
    expect(refused).toBe("401 invalid_api_key_error");
  });

  it("ends the followers of its conversations and invocations, and tells the workers", async () => {
    const { workspaceId, context, cId, stream } = await fill();
    const { logId } = await findInvocationStream(context, stream);
    const abort = new AbortController();
    const follow = async (id: string) => {
      const options = { logId: id, after: 0, signal: abort.signal };
      for await (const _ of followLog(test.core, options));
      return abort.signal.aborted ? "cut off" : "ended";
    };
    const ended: string[] = [];
    const unsubscribe = test.core.bus.subscribe("runs", (hint) => {
      if (hint.cause === "ended") ended.push(...hint.logIds);
    });
    const followers = [cId, logId].map(follow);
    await test.operator.deleteWorkspace({ wId: workspaceId });
    unsubscribe();
    setTimeout(() => abort.abort(), 50);
    expect(await Promise.all(followers)).toEqual(["ended", "ended"]);
    expect(ended).toEqual(expect.arrayContaining([cId, logId]));
  });

  it("leaves nothing of invocations that end in the meantime", async () => {
    const before = await countTestRows(test.core);
    const { workspaceId, invocation, invoke } = await fill();
    for (let index = 0; index < 5; index++) await invoke();
    const options = { workerId: "test", leaseMs: 60_000, limit: 100 };
    const claimed = await claimRuns(test.core, options);
    const running = claimed.filter((run) => run.kind === "invocation");
    const outcome = { status: "succeeded", result: 3 } as const;
    const finished = await Promise.all(
      running.map(async (run) => ({
        ...(await loadInvocation(test.core, run)),
        run,
        outcome,
        events: [],
      })),
    );
    // A worker's transaction that is about to commit an event.
    const appended = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const appending = test.core.database.transaction(async (tx) => {
      const created = { type: "sandbox_function_invocation_created", created: 0 } as const;
      const event = { ...created, invocation };
      await appendEvents(tx, [{ logId: invocation.sId, events: [event] }], []);
      appended.resolve();
      await commit.promise;
    });
    await appended.promise;
    setTimeout(commit.resolve, 50);
    await Promise.all([
      test.operator.deleteWorkspace({ wId: workspaceId }),
      appending,
      finishInvocations(test.core, finished.slice(1)),
      ...finished.map((one) => finishInvocations(test.core, [one])),
    ]);
    expect(await countTestRows(test.core)).toEqual(before);
  });
});
