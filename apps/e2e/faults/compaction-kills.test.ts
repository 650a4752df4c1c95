import { startFakeService } from "@parley/agent/testing";
import { createParley } from "parley-client";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { createPlace, eventually, startServer } from "../server.ts";
import { createCalls, mentionOf } from "../siblings/calls.ts";

// A server is killed while a summary is at each point of its way: there is one, whole, and what it took counts once.

const SUMMARY = "Ann asked for the invoices.";
const LOCK = 36_036;

interface Point {
  /** Name of the model, by which the database knows the summaries that stop at the point. */
  readonly model: string;
  /** What the statement that stops has written; without it, the model falls silent. */
  readonly stopsAt?: "chosen" | "asked" | "committing";
  /** Whether the statement that had stopped ends well although its process is gone. */
  readonly isWritten?: true;
  /** How often the model is asked for the summary. */
  readonly asked: number;
}

const points: readonly Point[] = [
  { model: "before-the-model", stopsAt: "chosen", asked: 1 },
  { model: "while-it-streams", asked: 2 },
  { model: "before-it-is-saved", stopsAt: "asked", asked: 2 },
  { model: "once-it-is-saved", stopsAt: "asked", isWritten: true, asked: 1 },
  { model: "before-the-commit", stopsAt: "committing", asked: 1 },
  { model: "after-the-commit", stopsAt: "committing", isWritten: true, asked: 1 },
];

const modelsAt = (stopsAt: Point["stopsAt"]) =>
  points
    .filter((point) => point.stopsAt === stopsAt)
    .map(({ model }) => `'${model}'`)
    .join(", ");

/** Lets writes of summaries wait for a lock at the points. */
const stopAtPoints = `
  create function wait_for_test() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(${LOCK});
    return new;
  end $$;
  create trigger wait_before_the_model before update on conversation_summaries for each row
  when (new.model_id in (${modelsAt("chosen")}) and new.status = 'pending' and new.steps = '[]')
  execute function wait_for_test();
  create trigger wait_after_the_model before update on conversation_summaries for each row
  when (new.model_id in (${modelsAt("asked")}) and new.status = 'pending' and new.steps <> '[]')
  execute function wait_for_test();
  create constraint trigger wait_at_the_commit after update on conversation_summaries
  deferrable initially deferred for each row
  when (new.model_id in (${modelsAt("committing")}) and new.status = 'active')
  execute function wait_for_test();`;

const waiting = `
  select pid from pg_locks
  where locktype = 'advisory' and objid = ${LOCK} and not granted
    and database = (select oid from pg_database where datname = current_database())`;

test("a kill at each point of a summary tears nothing", { timeout: 300_000 }, async () => {
  const service = await startFakeService();
  onTestFinished(service.close);
  let isFull = false;
  let falls = false;
  let hasFallen = Promise.withResolvers<void>();
  const isSummary = (body: unknown) => JSON.stringify(body).includes("<transcript>");
  service.onRequest = () => {
    const isOfSummary = isSummary(service.requests.at(-1)?.body);
    service.script = { steps: [{ text: isOfSummary ? SUMMARY : "Noted." }], tokenDelayMs: 0 };
    service.counts = { input: isOfSummary ? 300 : isFull ? 3000 : 10, output: 20 };
    if (!isOfSummary || !falls) return;
    falls = false;
    service.faults.push({ kind: "silent", afterFrames: 2 });
    hasFallen.resolve();
  };
  const settings = {
    PARLEY_LEASE_MS: "500",
    PARLEY_OPENAI_COMPATIBLE_URL: `${service.url}/v1`,
    PARLEY_OPENAI_COMPATIBLE_CONTEXT_TOKENS: "8000",
  };
  await using place = await createPlace();
  let server = await startServer(place, settings);
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => client.end());
  await client.query(stopAtPoints);
  const calls = createCalls(() => server);
  const { workspaceId: wId, adminKey: apiKey } = server.demo;
  const enableModels = points.map(({ model: modelId }) => {
    return { providerId: "openai_compatible", modelId };
  });
  await calls.rpc().workspaces.update.mutate({ wId, enableModels });

  for (const { model: modelId, stopsAt, isWritten, asked } of points) {
    const { agentConfiguration } = await calls.rpc().agents.create.mutate({
      wId,
      name: modelId,
      description: "",
      model: { providerId: "openai_compatible", modelId },
      compaction: { startsAtPercent: 10, keepsMessages: 2 },
    });
    const mentions = mentionOf(agentConfiguration.sId);
    const say = (words: string) => ({ content: `${words} ${"word ".repeat(300)}`, mentions });
    const parley = () => createParley({ baseUrl: server.url, workspaceId: wId, apiKey });
    isFull = false;
    const { conversation } = await parley().conversations.create({
      message: say("The invoice INV-2024-0193."),
      blocking: true,
    });
    const { sId: conversationId } = conversation;
    const ask = async (words: string) =>
      parley().messages.create({ conversationId, ...say(words), blocking: true });

    falls = stopsAt === undefined;
    hasFallen = Promise.withResolvers<void>();
    await client.query("select pg_advisory_lock($1)", [LOCK]);
    isFull = true;
    await ask("Is it paid?");
    isFull = false;
    const findWaiting = async () => {
      const { rows } = await client.query<{ pid: number }>(waiting);
      return rows.length === 0 ? {} : { value: rows };
    };
    const stopped = stopsAt === undefined ? [] : await eventually(findWaiting, 60_000);
    if (stopsAt === undefined) await hasFallen.promise;
    // Turns do not wait for a summary, however long it takes.
    if (stopsAt !== "committing") await ask("And the other?");
    await server.kill();
    for (const { pid } of isWritten === true ? [] : stopped) {
      await client.query("select pg_terminate_backend($1, 5000)", [pid]);
    }
    await client.query("select pg_advisory_unlock($1)", [LOCK]);
    server = await startServer(place, settings);

    const summaries = await eventually(async () => {
      const listed = (await parley().summaries.list({ conversationId })).summaries;
      return listed.some(({ status }) => status === "pending") ? {} : { value: listed };
    }, 60_000);
    const whole = { number: 1, status: "active", fromRank: 0, text: SUMMARY, error: null };
    expect([modelId, summaries]).toMatchObject([modelId, [{ ...whole, inputTokens: 300 }]]);
    const ofSummary = service.requests.filter(
      ({ body }) => body.model === modelId && isSummary(body),
    );
    expect([modelId, ofSummary.length]).toEqual([modelId, asked]);
    await ask("And now?");
    expect(JSON.stringify(service.requests.at(-1)?.body)).toContain(SUMMARY);
    const events = parley().conversations.follow(
      { conversationId, include: ["compaction"] },
      { signal: AbortSignal.timeout(30_000) },
    );
    const answers = stopsAt === "committing" ? 3 : 4;
    const types: string[] = [];
    for await (const { type } of events) {
      types.push(type);
      if (types.filter((one) => one === "agent_message_done").length === answers) break;
    }
    expect(types.filter((type) => type === "conversation_compacted")).toHaveLength(1);
    const taken = await parley().conversations.getConsumption({ conversationId });
    expect(taken.summaries).toMatchObject({
      summaries: 1,
      steps: 1,
      inputTokens: 300,
      outputTokens: 20,
    });
    expect(taken.messages.map(({ status }) => status)).toEqual(
      Array.from({ length: answers }, () => "succeeded"),
    );
    const ofAnswers = taken.messages.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
    expect(taken.total.inputTokens).toBe(ofAnswers + 300);
  }
  await server[Symbol.asyncDispose]();
});
