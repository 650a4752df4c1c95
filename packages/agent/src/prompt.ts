import { type CountFitting, fitTexts } from "./count-tokens.ts";
import { type PromptMessage, textOf, textParts } from "./prompt-parts.ts";
import type { EarlierStep, ModelProvider, StepRequest } from "./provider.ts";
import { correctionOf } from "./structured-answer.ts";
import { describeSkills, type OfferedSkill } from "./skills.ts";

/** A message of the conversation, for the prompt. */
export interface HistoryMessage {
  readonly type: string;
  readonly content: string;
  /** Title of a content fragment. */
  readonly title?: string | undefined;
  /** MIME type of a content fragment. */
  readonly contentType?: string | undefined;
}

/** What a prompt begins with. */
interface PromptParts {
  readonly instructions: string | null;
  readonly skills?: readonly OfferedSkill[];
}

/** Characters for each token of the context; further text is left out without counting. */
const CHARACTERS_PER_TOKEN = { counted: 8, uncounted: 4 };
/** Tokens of a message besides its text: its role and delimiters. */
const MESSAGE_TOKENS = 8;
/** The answer has a quarter of the context, up to a maximum. */
const ANSWER_SHARE = 4;
const MAX_ANSWER_TOKENS = 32_000;

/** Most characters of a prompt, without its instructions. */
export function promptCharacters(
  contextTokens: number,
  { countsTokens }: Pick<ModelProvider, "countsTokens">,
): number {
  return contextTokens * CHARACTERS_PER_TOKEN[countsTokens ? "counted" : "uncounted"];
}

/**
 * Builds the prompt of a turn from the agent's instructions, its skills and the messages before the
 * answer; the oldest messages beyond `maxCharacters` are left out.
 */
export function buildPrompt(
  { instructions, skills = [] }: PromptParts,
  history: readonly HistoryMessage[],
  maxCharacters: number,
): PromptMessage[] {
  const messages: PromptMessage[] = [];
  let budget = maxCharacters;
  for (const message of history.toReversed()) {
    budget -= message.content.length;
    // The newest message is always in the prompt.
    if (budget < 0 && messages.length > 0) break;
    messages.push(toPromptMessage(message));
  }
  messages.reverse();
  const pinned = [instructions, describeSkills(skills)].flatMap((content) =>
    content === null ? [] : { role: "system" as const, parts: textParts(content), isPinned: true },
  );
  return [...pinned, ...messages];
}

/**
 * Leaves out the oldest messages of a step's prompt, so that the rest fits into the model's context with
 * the instructions, the tools, the steps so far and an answer. The newest message and pinned ones stay.
 */
export async function fitPrompt(
  { prompt, tools, finishedSteps, finishedCalls, answerFormat }: StepRequest,
  contextTokens: number,
  countFitting: CountFitting,
): Promise<readonly PromptMessage[]> {
  const answerTokens = Math.min(contextTokens / ANSWER_SHARE, MAX_ANSWER_TOKENS);
  const pinned = prompt.filter(isPinned);
  const messages = prompt.filter((message) => !isPinned(message));
  const first = messages.at(-1);
  if (first === undefined) return prompt;
  const fixed = [
    ...pinned.map(textOf),
    ...(answerFormat?.instruction === undefined ? [] : [answerFormat.instruction]),
    ...tools.map(
      ({ name, description, inputSchema }) => name + description + JSON.stringify(inputSchema),
    ),
    ...messagesOfSteps({ finishedSteps, finishedCalls }).map(textOf),
    textOf(first),
  ];
  const older = messages.slice(0, -1);
  const overhead = (fixed.length + older.length) * MESSAGE_TOKENS;
  const budget = Math.max(0, Math.floor(contextTokens - answerTokens - overhead));
  const newestFirst = older.map(textOf).toReversed();
  const fitting = await fitTexts([...fixed, ...newestFirst], budget, countFitting);
  const fits = Math.max(0, fitting - fixed.length);
  return [...pinned, ...older.slice(older.length - fits), first];
}

/** Whether a message stays in a prompt of any length. */
export function isPinned(message: PromptMessage): boolean {
  return message.role === "system" && message.isPinned === true;
}

/** The finished steps of a turn as messages: each with its calls, and their results after it. */
export function messagesOfSteps({
  finishedSteps,
  finishedCalls,
}: Pick<StepRequest, "finishedSteps" | "finishedCalls">): PromptMessage[] {
  return finishedSteps.flatMap((finished: EarlierStep): PromptMessage[] => {
    const { step, replay, held, content } = finished;
    const calls = finishedCalls.filter((call) => call.step === step);
    const parts = [
      ...textParts(held?.text ?? content),
      ...calls.map(({ id, name, params }) => ({ type: "call" as const, id, name, params })),
    ];
    const results = calls.map(({ id, name, output }) => {
      return { type: "result" as const, id, name, output: textParts(output) };
    });
    const answer = { role: "assistant", parts, replay } as const;
    if (results.length === 0) return [answer, ...correctionOf(finished)];
    return [answer, { role: "tool", parts: results }];
  });
}

function toPromptMessage({ type, content, title, contentType }: HistoryMessage): PromptMessage {
  if (type === "agent_message") return { role: "assistant", parts: textParts(content) };
  if (type === "user_message") return { role: "user", parts: textParts(content) };
  const about = `title=${JSON.stringify(title)} type=${JSON.stringify(contentType)}`;
  return { role: "system", parts: textParts(`<attachment ${about}>\n${content}`) };
}
