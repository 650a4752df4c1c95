import { IMPORTED_TURNS_TYPE, type ImportedTurn, ImportedTurns } from "@parley/schema";
import { type PromptMessage, textParts } from "./prompt-parts.ts";

/** A message of the history that may hold turns which were said elsewhere. */
interface Imported {
  readonly type: string;
  readonly content: string;
  readonly contentType?: string | undefined;
  readonly givesCalls?: boolean | undefined;
}

/**
 * The turns of a fragment that holds such, as messages of a prompt; undefined for other messages, and for a fragment that
 * does not hold what it says. Calls without results and results without calls are left out, because services refuse them;
 * a request that offers no tools gets calls as text.
 */
export function importedMessages(message: Imported): PromptMessage[] | undefined {
  const { type, contentType, content, givesCalls = true } = message;
  if (type !== "content_fragment" || contentType !== IMPORTED_TURNS_TYPE) return undefined;
  const turns = parseTurns(content);
  if (turns === undefined) return undefined;
  return turns.flatMap((turn, index) => toMessages(turn, { turns, index, givesCalls }));
}

function parseTurns(content: string): readonly ImportedTurn[] | undefined {
  try {
    return ImportedTurns.safeParse(JSON.parse(content)).data;
  } catch {
    return undefined;
  }
}

interface Place {
  readonly turns: readonly ImportedTurn[];
  readonly index: number;
  readonly givesCalls: boolean;
}

function toMessages(turn: ImportedTurn, place: Place): PromptMessage[] {
  const { turns, index, givesCalls } = place;
  if (turn.role === "system") {
    return [{ role: "system", parts: textParts(turn.text), isPinned: true }];
  }
  if (turn.role === "user") return [{ role: "user", parts: textParts(turn.text) }];
  if (turn.role === "assistant") {
    const next = turns[index + 1];
    const answered = new Set(next?.role === "tool" ? next.results.map(({ id }) => id) : []);
    const calls = (turn.calls ?? []).filter(({ id }) => answered.has(id));
    const text = turn.text === "" ? [] : textParts(turn.text);
    const parts = givesCalls
      ? [...text, ...calls.map((call) => ({ type: "call" as const, ...call }))]
      : [...text, ...calls.flatMap(({ name, params }) => textParts(describeCall(name, params)))];
    return parts.length === 0 ? [] : [{ role: "assistant", parts }];
  }
  const before = turns[index - 1];
  const called = new Set(
    before?.role === "assistant" ? (before.calls ?? []).map(({ id }) => id) : [],
  );
  const results = turn.results.filter(({ id }) => called.has(id));
  if (results.length === 0) return [];
  if (!givesCalls) {
    const said = results.map(({ name, output }) => `[${name} returned: ${output}]`);
    return [{ role: "user", parts: textParts(said.join("\n")) }];
  }
  const parts = results.map(({ output, ...result }) => {
    return { type: "result" as const, ...result, output: textParts(output) };
  });
  return [{ role: "tool", parts }];
}

function describeCall(name: string, params: object): string {
  return `[Called ${name} with ${JSON.stringify(params)}]`;
}
