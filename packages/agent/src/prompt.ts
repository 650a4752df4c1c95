import { type CountFitting, fitTexts } from "./count-tokens.ts";
import type { ModelProvider, PromptMessage, StepRequest } from "./provider.ts";
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
    content === null ? [] : { role: "system" as const, content, isPinned: true },
  );
  return [...pinned, ...messages];
}

/**
 * Leaves out the oldest messages of a step's prompt, so that the rest fits into the model's context with
 * the instructions, the tools, the steps so far and an answer. The newest message and pinned ones stay.
 */
export async function fitPrompt(
  { prompt, tools, finishedSteps, finishedCalls }: StepRequest,
  contextTokens: number,
  countFitting: CountFitting,
): Promise<readonly PromptMessage[]> {
  const answerTokens = Math.min(contextTokens / ANSWER_SHARE, MAX_ANSWER_TOKENS);
  const pinned = prompt.filter(({ isPinned }) => isPinned === true);
  const messages = prompt.filter(({ isPinned }) => isPinned !== true);
  const first = messages.at(-1);
  if (first === undefined) return prompt;
  const fixed = [
    ...pinned.map(({ content }) => content),
    ...tools.map(
      ({ name, description, inputSchema }) => name + description + JSON.stringify(inputSchema),
    ),
    ...finishedSteps.map(({ content }) => content),
    ...finishedCalls.map(({ params, output }) => JSON.stringify(params) + output),
    first.content,
  ];
  const older = messages.slice(0, -1);
  const overhead = (fixed.length + older.length) * MESSAGE_TOKENS;
  const budget = Math.max(0, Math.floor(contextTokens - answerTokens - overhead));
  const newestFirst = older.map(({ content }) => content).toReversed();
  const fitting = await fitTexts([...fixed, ...newestFirst], budget, countFitting);
  const fits = Math.max(0, fitting - fixed.length);
  return [...pinned, ...older.slice(older.length - fits), first];
}

function toPromptMessage({ type, content, title, contentType }: HistoryMessage): PromptMessage {
  if (type === "agent_message") return { role: "assistant", content };
  if (type === "user_message") return { role: "user", content };
  const about = `title=${JSON.stringify(title)} type=${JSON.stringify(contentType)}`;
  return { role: "system", content: `<attachment ${about}>\n${content}` };
}
