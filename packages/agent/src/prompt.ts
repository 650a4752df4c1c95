import { fitTexts } from "./count-tokens.ts";
import type { ModelProvider, PromptMessage, StepRequest } from "./provider.ts";
import { describeSkills, type OfferedSkill } from "./skills.ts";

/** A message of the conversation, as the prompt needs it. */
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

/** Characters for each token of the context: what is more than that is not even counted. */
const CHARACTERS_PER_TOKEN = { counted: 8, uncounted: 4 };
/** What a message takes beside its text: its role, and what is around it. */
const MESSAGE_TOKENS = 8;
/** The part of the context that is left to the answer, and its most. */
const ANSWER_SHARE = 4;
const MAX_ANSWER_TOKENS = 32_000;

/** Characters of a prompt, its instructions aside, that a model is given at most. */
export function promptCharacters(
  contextTokens: number,
  { countsTokens }: Pick<ModelProvider, "countsTokens">,
): number {
  return contextTokens * CHARACTERS_PER_TOKEN[countsTokens ? "counted" : "uncounted"];
}

/**
 * Builds the prompt of a turn from the agent's instructions, the skills it has and the messages
 * before the answer, of which the oldest go first where they are more than `maxCharacters`.
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
 * Leaves the oldest messages out of a step's prompt, as many as it takes for the rest to fit into the
 * model's context beside the instructions, the tools, the steps so far and an answer. The newest
 * message stays, and so does what is pinned.
 */
export async function fitPrompt(
  { prompt, tools, finishedSteps, finishedCalls }: StepRequest,
  contextTokens: number,
): Promise<readonly PromptMessage[]> {
  const answerTokens = Math.min(contextTokens / ANSWER_SHARE, MAX_ANSWER_TOKENS);
  const pinned = prompt.filter(({ isPinned }) => isPinned === true);
  const messages = prompt.filter(({ isPinned }) => isPinned !== true);
  const first = messages.at(-1);
  if (first === undefined) return prompt;
  const kept = [
    ...pinned.map(({ content }) => content),
    ...tools.map(
      ({ name, description, inputSchema }) => name + description + JSON.stringify(inputSchema),
    ),
    ...finishedSteps.map(({ content }) => content),
    ...finishedCalls.map(({ params, output }) => JSON.stringify(params) + output),
    first.content,
  ];
  const older = messages.slice(0, -1);
  const overhead = (kept.length + older.length) * MESSAGE_TOKENS;
  const budget = Math.max(0, Math.floor(contextTokens - answerTokens - overhead));
  const newestFirst = older.map(({ content }) => content).toReversed();
  const { fitting } = await fitTexts([...kept, ...newestFirst], budget);
  const fits = Math.max(0, fitting - kept.length);
  return [...pinned, ...older.slice(older.length - fits), first];
}

function toPromptMessage({ type, content, title, contentType }: HistoryMessage): PromptMessage {
  if (type === "agent_message") return { role: "assistant", content };
  if (type === "user_message") return { role: "user", content };
  const about = `title=${JSON.stringify(title)} type=${JSON.stringify(contentType)}`;
  return { role: "system", content: `<attachment ${about}>\n${content}` };
}
