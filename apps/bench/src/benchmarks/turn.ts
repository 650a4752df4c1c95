import path from "node:path";
import { type AskChild, askingChild } from "../child-requests.ts";
import { startProcess } from "../child-process.ts";
import { middle, sampleInTurn, samplesOf } from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import { type Findings, ratio } from "../report.ts";
import type { TurnCost, TurnHandlers, TurnRound } from "../turn/turn-process.ts";

const TURNS = 200;
const WARM_UP_TURNS = 50;
/** Of each turn; the service sends one at a time. */
const TOKENS = 200;
const DELAY_MS = 10;
const COLUMN = `${TURNS} turns at once`;

/**
 * Measures what 200 turns at once cost their process, beside the AI SDK alone that reads the same
 * streams; and the worker with its database's client, of which the rest is claiming and appending.
 */
export async function benchTurn(options: BenchmarkOptions): Promise<Findings> {
  const { postgres, resources, rounds } = options;
  const url = await startTurnProcess(resources)("serve", { tokens: TOKENS, delayMs: DELAY_MS });
  const database = await postgres.createDatabase(resources, "turn");
  const names: TurnRound["subject"][] = ["ai", "turn", "worker"];
  const subjects = names.map((subject) => ({
    subject,
    ask: startTurnProcess(resources, database.url),
  }));
  for (const { subject, ask } of subjects) await ask("run", { subject, url, turns: WARM_UP_TURNS });
  const measured = await sampleInTurn(
    subjects.map(({ subject, ask }) => ({
      labels: { [COLUMN]: subject },
      take: () => ask("run", { subject, url, turns: TURNS }),
    })),
    rounds,
  );
  const [ai = [], turn = [], worker = []] = names.map((name) =>
    samplesOf(measured, { [COLUMN]: name }),
  );
  const rows = measured.map(({ labels, samples }) => ({
    ...labels,
    "CPU ms a turn": middle(samples, perTurn),
    "CPU µs a token": middle(samples, perToken),
    "tokens a turn": middle(samples, ({ tokens }) => tokens / TURNS),
  }));
  const appending = {
    [COLUMN]: "claim, append, finish (worker less turn)",
    "CPU ms a turn": middle(worker, perTurn) - middle(turn, perTurn),
    "CPU µs a token": middle(worker, perToken) - middle(turn, perToken),
  };
  return {
    tables: [[...rows, appending]],
    questions: [
      ratio(
        "CPU of a turn over the AI SDK's alone",
        { of: turn, over: ai },
        { read: perTurn, target: { atMost: 1.5 } },
      ),
      ratio("the same, appended", { of: worker, over: ai }, { read: perTurn }),
    ],
  };
}

const perTurn = ({ cpuMs }: TurnCost) => cpuMs / TURNS;
const perToken = ({ cpuMs, tokens }: TurnCost) => (cpuMs * 1000) / tokens;

/** Starts a process that plays the service, or that is measured. */
export function startTurnProcess(
  resources: AsyncDisposableStack,
  ...database: string[]
): AskChild<TurnHandlers> {
  const file = path.join(import.meta.dirname, "../turn/turn-process.ts");
  const started = startProcess(resources, {
    name: "turn-process",
    arguments: ["--conditions=@parley/source", file, ...database],
    messages: true,
  });
  return askingChild<TurnHandlers>(started);
}
