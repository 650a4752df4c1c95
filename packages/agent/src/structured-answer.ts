// Answers that must be JSON of a schema. Where the model's service itself enforces the schema, their text streams live.
// Everywhere else it is held back until it is valid: an answer that is not is told to the model, which answers again.

import { cleanJson, ParleyError, parseJson } from "@parley/schema";
import type { EarlierStep, StepRequest } from "./provider.ts";
import { type PromptMessage, textParts } from "./prompt-parts.ts";

/** What the answer of a turn must be. Steps that call tools may write anything: it is not shown. */
export interface AnswerFormat {
  /** JSON Schema that was checked. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Whether the model's service itself holds answers to the schema. */
  readonly enforced: "always" | "without tools" | "never";
  /** Whether the model must be told the schema also then. */
  readonly isDescribed?: boolean | undefined;
  /** What is wrong with a value, with its path; undefined for one that matches the schema. */
  readonly findFault: (value: unknown, json: string) => Promise<string | undefined>;
}

/** How often a model is asked to repair its answer. */
const MAX_REPAIRS = 2;
/** UTF-16 code units of a structured answer: no model writes as many. */
export const MAX_STRUCTURED_CHARACTERS = 1024 * 1024;

export const INVALID_ANSWER = "invalid_structured_output";

/** Whether the answer's text streams as it comes. */
export function isLive(format: AnswerFormat, tools: readonly unknown[]): boolean {
  return (
    format.enforced === "always" || (format.enforced === "without tools" && tools.length === 0)
  );
}

/** How many of the steps were answers that were not accepted. */
export function countRepairs(steps: readonly EarlierStep[]): number {
  return steps.filter(({ held }) => held?.fault !== undefined).length;
}

/** Whether the model may be asked again after one more answer that is not accepted. */
export function mayRepair(steps: readonly EarlierStep[]): boolean {
  return countRepairs(steps) < MAX_REPAIRS;
}

/** How a provider is told of a format; undefined for text. */
export function requestFormat(
  format: AnswerFormat | undefined,
  tools: readonly unknown[],
): StepRequest["answerFormat"] {
  if (format === undefined) return undefined;
  const { schema, isDescribed = false } = format;
  const isEnforced = isLive(format, tools);
  if (isEnforced && !isDescribed) return { schema, isEnforced };
  const instruction =
    "Your answer must be JSON that matches this JSON Schema, and nothing else: no explanation and no code " +
    `fence. You may call tools before you answer.\n${JSON.stringify(schema)}`;
  return { schema, isEnforced, instruction };
}

/** What a model is told of an answer that was not accepted. */
export function correctionOf({ held }: EarlierStep): PromptMessage[] {
  if (held?.fault === undefined) return [];
  const text =
    `This answer was not accepted: ${held.fault}. Answer again, with JSON alone that matches the JSON Schema ` +
    "of your instructions.";
  return [{ role: "user", parts: textParts(text) }];
}

/** Decides which text of a step is shown as it comes. */
export interface TextGate {
  /** The text that may be published now that this has come. */
  push(text: string): string;
  /** What was not published. */
  readonly held: string;
  /** Whether it has let through or held as much as an answer may have. */
  readonly isFull: boolean;
}

/** Creates the gate of one step; without a format it lets everything through. */
export function openGate(format: AnswerFormat | undefined, tools: readonly unknown[]): TextGate {
  if (format === undefined) return { push: (text) => text, held: "", isFull: false };
  const live = isLive(format, tools);
  let kind: "answer" | "remark" | undefined = live ? undefined : "remark";
  let held = "";
  let total = 0;
  return {
    push: (text) => {
      total += text.length;
      if (kind !== "remark" && text.trim() !== "") {
        let rest = text;
        if (kind === undefined) {
          rest = text.trimStart();
          // Enforced schemas are of objects: what begins otherwise is a remark before a call, or a refusal.
          kind = rest.startsWith("{") ? "answer" : "remark";
          if (kind === "answer") held = "";
        }
        if (kind === "answer") {
          const end = rest.trimEnd().length;
          const passed = held + rest.slice(0, end);
          // White space is published only with what follows it.
          held = rest.slice(end);
          return passed;
        }
      }
      held += text;
      return "";
    },
    get held() {
      return kind === "answer" ? "" : held;
    },
    get isFull() {
      return total > MAX_STRUCTURED_CHARACTERS;
    },
  };
}

/** An answer in its format. */
export interface AcceptedAnswer {
  /** The JSON, as the model wrote it. */
  readonly text: string;
  readonly value: unknown;
}

/** Reads an answer: its JSON and value, or why it is not accepted. */
export async function judgeAnswer(
  format: AnswerFormat,
  given: string,
): Promise<AcceptedAnswer | { readonly fault: string }> {
  const text = stripFence(given);
  if (text === "") return { fault: "it is empty" };
  let value: unknown;
  try {
    value = cleanJson(parseJson(text));
  } catch (error) {
    return { fault: describe(error) };
  }
  const fault = await format.findFault(value, text);
  return fault === undefined ? { text, value } : { fault };
}

const FENCE = "```";

/** The text without white space and the code fence around it. */
function stripFence(given: string): string {
  const text = given.trim();
  if (!text.startsWith(FENCE) || !text.endsWith(FENCE)) return text;
  const begin = text.indexOf("\n");
  return begin === -1 ? text : text.slice(begin, -FENCE.length).trim();
}

function describe(error: unknown): string {
  if (!(error instanceof ParleyError)) throw error;
  const [issue] = error.issues ?? [];
  if (issue !== undefined) return `answer.${issue.path}: ${issue.message}`;
  const { cause } = error;
  if (cause instanceof Error) return `it is not JSON: ${cause.message}`;
  return error.message.replace("Invalid request body: ", "it ");
}
