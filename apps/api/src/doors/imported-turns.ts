import { type ImportedTurn, invalidRequest } from "@parley/schema";

type Call = NonNullable<Extract<ImportedTurn, { role: "assistant" }>["calls"]>[number];
type Result = Extract<ImportedTurn, { role: "tool" }>["results"][number];

/** The parameters of a call, which protocols send as text. Throws `invalid_request_error` for what is no JSON object. */
export function paramsOf(text: string, path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text === "" ? "{}" : text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Refused below.
  }
  throw invalidRequest("body", [{ path, message: "must be JSON of an object" }]);
}

/** Adds a call to the answer before it, or to one of its own. */
export function addCall(turns: ImportedTurn[], call: Call): void {
  const last = turns.at(-1);
  if (last?.role === "assistant") {
    turns[turns.length - 1] = { ...last, calls: [...(last.calls ?? []), call] };
  } else turns.push({ role: "assistant", text: "", calls: [call] });
}

/** Adds a result to those before it. */
export function addResult(turns: ImportedTurn[], result: Result): void {
  const last = turns.at(-1);
  if (last?.role === "tool") {
    turns[turns.length - 1] = { ...last, results: [...last.results, result] };
  } else turns.push({ role: "tool", results: [result] });
}
