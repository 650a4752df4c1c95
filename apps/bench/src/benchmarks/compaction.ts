import { setTimeout as sleep } from "node:timers/promises";
import { agentMessages, createParley, createRpcClient } from "parley-client";
import {
  longConversation,
  type NeedleKind,
  needleKinds,
  needles,
  questions,
  shareIn,
} from "../compaction/needles.ts";
import { readModelSettings } from "../config.ts";
import type { BenchmarkOptions } from "../options.ts";
import { type Demo, startParley } from "../parley-server.ts";
import type { Findings } from "../report.ts";

/** More than a conversation has before its oldest messages are summarised, however large the context. */
const MESSAGES = 420;
const SUMMARY_WITHIN_MS = 15 * 60_000;
const POLL_MS = 100;
/** Of an answer: what models need for a long list. */
const ANSWER_WITHIN_MS = 5 * 60_000;
const SIMULATED = "simulated";

/** What was asked of one conversation. */
interface Asked {
  /** The shares of the needles that the answers had. */
  readonly found: Readonly<Record<NeedleKind, number>>;
  /** Tokens of the first question's prompt, as the provider counts them; 0 if it does not. */
  readonly promptTokens: number;
}

/**
 * Asks a model for what was said once in a long conversation: with all messages in the prompt, and with a summary in
 * place of the oldest.
 */
export async function benchCompaction(options: BenchmarkOptions): Promise<Findings> {
  const { postgres, resources, model: name, print } = options;
  const [providerId = "", ...rest] = name.split("/");
  const model = { providerId, modelId: rest.join("/") };
  const isSimulated = providerId === SIMULATED;
  const database = await postgres.createDatabase(resources, "compaction");
  const settings = readModelSettings(providerId);
  const { demo } = await startParley(resources, database, { settings });
  const subject = await openSubject(demo, model);
  print(`Asking ${name} with all ${MESSAGES} messages …\n`);
  const withMessages = await subject.askAll(await subject.converse(), "reader");
  const conversationId = await subject.converse();
  const startedAt = performance.now();
  await subject.ask(conversationId, "Thanks. Answer with OK, and nothing else.", "summariser");
  const summary = await subject.summaryOf(conversationId);
  const seconds = (performance.now() - startedAt) / 1000;
  print(`Asking it with a summary of ${(summary.toRank ?? 0) + 1} of them …\n`);
  const withSummary = await subject.askAll(conversationId, "summariser");
  if (isSimulated) {
    print(
      "No real model was reached: the simulated one answers from a script and counts no tokens. Only what the " +
        "summary keeps was measured, whose text is the beginnings of the messages.\n",
    );
  }
  const kept = [summary.text ?? "", ...summary.carried.map(({ text }) => text)].join("\n");
  const tokens = (count: number) => (isSimulated ? undefined : count);
  const answered = (asked: Asked, kind: NeedleKind) =>
    isSimulated ? undefined : asked.found[kind];
  const rows = needleKinds.map((kind) => ({
    named: kind,
    count: needles.filter((needle) => needle.kind === kind).length,
    "kept by the summary": shareIn(kept, kind),
    "answered with all messages": answered(withMessages, kind),
    "answered with the summary": answered(withSummary, kind),
  }));
  const costs = {
    model: name,
    "messages replaced": (summary.toRank ?? 0) + 1,
    "prompt with all messages, tokens": tokens(withMessages.promptTokens),
    "with the summary, tokens": tokens(withSummary.promptTokens),
    "summarising, input tokens": tokens(summary.inputTokens),
    "output tokens": tokens(summary.outputTokens),
    "turn and summary, s": seconds,
  };
  const keptOf = (kind: NeedleKind) => ({
    name: `${kind} that the summary keeps, share`,
    of: [shareIn(kept, kind)],
    target: { atLeast: 1 },
  });
  return {
    tables: [rows, [costs]],
    // What a program copies must not be lost; the rest is the model's.
    questions: [keptOf("identifiers"), keptOf("open tasks")],
  };
}

type AgentName = "reader" | "summariser";

/** A workspace with an agent that summarises, and one that does not. */
async function openSubject(
  { url, workspaceId: wId, adminKey: apiKey, operatorKey }: Demo,
  model: { readonly providerId: string; readonly modelId: string },
) {
  const parley = createParley({ baseUrl: url, workspaceId: wId, apiKey });
  const rpc = createRpcClient({ url, apiKey: operatorKey });
  await rpc.workspaces.update.mutate({ wId, enableModels: [model] });
  const createAgent = async (name: AgentName, compaction: object): Promise<string> => {
    const { agentConfiguration } = await rpc.agents.create.mutate({
      wId,
      name,
      description: "Answers about what was said",
      instructions: "Answer from the conversation alone.",
      model: { ...model, temperature: 0 },
      compaction,
    });
    return agentConfiguration.sId;
  };
  const agents: Readonly<Record<AgentName, string>> = {
    reader: await createAgent("reader", { enabled: false }),
    summariser: await createAgent("summariser", { enabled: true }),
  };

  /** A conversation of people alone, which no model has read. */
  async function converse(): Promise<string> {
    const [first = "", ...others] = longConversation(MESSAGES);
    const say = (content: string) => ({ content, mentions: [] });
    const { conversation } = await parley.conversations.create({ message: say(first) });
    const { sId: conversationId } = conversation;
    // In their order.
    for (const text of others) await parley.messages.create({ conversationId, ...say(text) });
    return conversationId;
  }

  /** What the agent answers. */
  async function ask(conversationId: string, content: string, by: AgentName): Promise<string> {
    const mentions = [{ configurationId: agents[by] }];
    const question = { conversationId, content, mentions, blocking: true };
    await parley.messages.create(question, { timeoutMs: ANSWER_WITHIN_MS });
    const { conversation } = await parley.conversations.get({ conversationId });
    const answer = agentMessages(conversation).at(-1);
    if (answer?.status === "succeeded") return answer.content ?? "";
    throw new Error(`The model did not answer: ${answer?.error?.message ?? answer?.status}`);
  }

  async function askAll(conversationId: string, by: AgentName): Promise<Asked> {
    const found: Partial<Record<NeedleKind, number>> = {};
    for (const kind of needleKinds) {
      found[kind] = shareIn(await ask(conversationId, questions[kind], by), kind);
    }
    const { messages } = await parley.conversations.getConsumption({ conversationId });
    const first = messages.at(-needleKinds.length);
    // Each kind was asked for.
    return { found: found as Asked["found"], promptTokens: first?.inputTokens ?? 0 };
  }

  async function summaryOf(conversationId: string) {
    const deadline = performance.now() + SUMMARY_WITHIN_MS;
    while (performance.now() < deadline) {
      const [summary] = (await parley.summaries.list({ conversationId })).summaries;
      if (summary?.status === "active") return summary;
      if (summary?.status === "failed") {
        throw new Error(`The summary failed: ${summary.error?.message}`);
      }
      await sleep(POLL_MS);
    }
    throw new Error("The summary was not there in time");
  }

  return { converse, ask, askAll, summaryOf };
}
