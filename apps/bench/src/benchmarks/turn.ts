import path from "node:path";
import { type AskChild, askingChild } from "../child-requests.ts";
import { startProcess } from "../child-process.ts";
import { interleave } from "../interleave.ts";
import type { BenchmarkOptions } from "../options.ts";
import { answerRatio, type ResultRow } from "../report.ts";
import { median } from "../statistics.ts";
import { renderTable } from "../table.ts";
import { targets } from "../targets.ts";
import type { ServiceHandlers } from "../turn/service-process.ts";
import type { TurnCost, TurnHandlers, TurnRound } from "../turn/turn-process.ts";

const TURNS = 200;
const WARM_UP_TURNS = 50;
/** Of each turn; the service sends one at a time. */
const TOKENS = 200;
const DELAY_MS = 10;

/**
 * Measures what 200 turns at once cost their process, beside the AI SDK alone that reads the same
 * streams; and the worker with its database's client, of which the rest is claiming and appending.
 */
export async function benchTurn(options: BenchmarkOptions): Promise<ResultRow[]> {
  const { postgres, resources, rounds, print } = options;
  const service = askingChild<ServiceHandlers>(startOwn(resources, "service-process"));
  const url = await service("start", { tokens: TOKENS, delayMs: DELAY_MS });
  const database = await postgres.createDatabase(resources, "turn");
  const names: TurnRound["subject"][] = ["ai", "turn", "worker"];
  const subjects = names.map((subject) => {
    const own = startOwn(resources, "turn-process", database.url);
    const ask: AskChild<TurnHandlers> = askingChild<TurnHandlers>(own);
    return { subject, ask };
  });
  for (const { subject, ask } of subjects) await ask("run", { subject, url, turns: WARM_UP_TURNS });
  const samples = await interleave(subjects, rounds, ({ subject, ask }) =>
    ask("run", { subject, url, turns: TURNS }),
  );
  const results = answerTurns(samples);
  print(renderTurns(names, samples, results));
  return results;
}

const perTurn = ({ cpuMs }: TurnCost) => cpuMs / TURNS;
const perToken = ({ cpuMs, tokens }: TurnCost) => (cpuMs * 1000) / tokens;

function answerTurns([ai = [], turn = [], worker = []]: readonly TurnCost[][]): ResultRow[] {
  return [
    answerRatio({
      name: "CPU of a turn over the AI SDK's alone",
      of: turn,
      over: ai,
      read: perTurn,
      target: targets.turnOverAiSdk,
    }),
    answerRatio({ name: "the same, appended", of: worker, over: ai, read: perTurn }),
  ];
}

function startOwn(resources: AsyncDisposableStack, file: string, database?: string) {
  const source = path.join(import.meta.dirname, `../turn/${file}.ts`);
  return startProcess(resources, {
    name: file,
    arguments: [
      "--conditions=@parley/source",
      source,
      ...(database === undefined ? [] : [database]),
    ],
    messages: true,
  });
}

/** A row for each subject, one for what appending takes, and the ratios. */
function renderTurns(
  names: readonly string[],
  samples: readonly TurnCost[][],
  results: readonly ResultRow[],
): string {
  const middle = (of: readonly TurnCost[], read: (cost: TurnCost) => number) =>
    median(of.map(read));
  const [, turn = [], worker = []] = samples;
  const rows = names.map((name, index) => {
    const of = samples[index] ?? [];
    return {
      [`${TURNS} turns at once`]: name,
      "CPU ms a turn": middle(of, perTurn),
      "CPU µs a token": middle(of, perToken),
      "tokens a turn": middle(of, ({ tokens }) => tokens / TURNS),
    };
  });
  const appending = {
    [`${TURNS} turns at once`]: "claim, append, finish (worker less turn)",
    "CPU ms a turn": middle(worker, perTurn) - middle(turn, perTurn),
    "CPU µs a token": middle(worker, perToken) - middle(turn, perToken),
  };
  return `${renderTable([...rows, appending])}\n${renderTable(results)}`;
}
