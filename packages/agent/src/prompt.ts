import { type CountFitting, fitTexts } from "./count-tokens.ts";
import { fitInBlocks } from "./fit-in-blocks.ts";
import { importedMessages } from "./imported-turns.ts";
import { isFilePart, tokensOfFiles } from "./prompt-files.ts";
import {
  type FilePart,
  type PromptMessage,
  textOf,
  textParts,
  type TextPart,
} from "./prompt-parts.ts";
import {
  fromQuestion,
  overheadOf,
  PART_TOKENS,
  type PromptUnit,
  textOfUnit,
  unitsOf,
} from "./prompt-units.ts";
import type { EarlierStep, ModelProvider, StepRequest } from "./provider.ts";
import { correctionOf } from "./structured-answer.ts";
import { shownResult } from "./results.ts";
import { isSummary } from "./summary-message.ts";
import { describeSkills, type OfferedSkill } from "./skills.ts";

/** A message of the conversation, for the prompt. */
export interface HistoryMessage {
  readonly type: string;
  readonly content: string;
  /** Title of a content fragment. */
  readonly title?: string | undefined;
  /** MIME type of a content fragment. */
  readonly contentType?: string | undefined;
  /** Who has written it, if the model is told. */
  readonly from?: string | undefined;
  /** What a content fragment of a file gives, in place of its text. */
  readonly given?: readonly (TextPart | FilePart)[] | undefined;
  /** The steps of an answer with calls, in place of its text. */
  readonly called?: Pick<StepRequest, "finishedSteps" | "finishedCalls"> | undefined;
  /** Values of the instructions as they were when a user's message was sent, as text for the model. */
  readonly values?: string | undefined;
  /** Whether the request offers tools, so that it may have calls; true by default. */
  readonly givesCalls?: boolean | undefined;
}

/** What a prompt begins with. */
interface PromptParts {
  readonly instructions: string | null;
  /** What the model is told of its memory. */
  readonly memory?: string | null;
  readonly skills?: readonly OfferedSkill[];
  /** Further instructions, of the question for its answer alone. */
  readonly ofQuestion?: string | null;
}

/** Characters for each token of the context; further text is left out without counting. */
const CHARACTERS_PER_TOKEN = { counted: 8, uncounted: 4 };
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
  { instructions, memory = null, skills = [], ofQuestion = null }: PromptParts,
  history: readonly HistoryMessage[],
  maxCharacters: number,
): PromptMessage[] {
  const units = unitsOf(withoutBlank(history).flatMap(toPromptMessages));
  let budget = maxCharacters;
  const newest = units.toReversed().findIndex((unit, index) => {
    budget -= textOfUnit(unit).length;
    // The newest message is always in the prompt.
    return budget < 0 && index > 0;
  });
  const fits = fitInBlocks(units.map(textOfUnit), newest === -1 ? units.length : newest);
  const fitting = units.slice(units.length - fits);
  // What changes from question to question comes last: services cache a request by how it begins.
  const pinned = [instructions, memory, describeSkills(skills), ofQuestion].flatMap((content) =>
    content === null ? [] : { role: "system" as const, parts: textParts(content), isPinned: true },
  );
  return [...pinned, ...fromQuestion(fitting).flat()];
}

/**
 * Leaves out the oldest messages of a step's prompt, so that the rest fits into the model's context with
 * the instructions, the tools, the steps so far and an answer. The newest message and pinned ones stay.
 */
export async function fitPrompt(
  { prompt, tools, finishedSteps, finishedCalls, answerFormat, rank }: StepRequest,
  contextTokens: number,
  countFitting: CountFitting,
): Promise<readonly PromptMessage[]> {
  const answerTokens = Math.min(contextTokens / ANSWER_SHARE, MAX_ANSWER_TOKENS);
  const isKept = (message: PromptMessage) => isPinned(message) || isSummary(message);
  const pinned = prompt.filter(isKept);
  const units = unitsOf(prompt.filter((message) => !isKept(message)));
  const newest = units.at(-1);
  if (newest === undefined) return prompt;
  const older = units.slice(0, -1);
  const steps = unitsOf(messagesOfSteps({ finishedSteps, finishedCalls, rank }));
  const fixed = [...unitsOf(pinned), ...steps, newest];
  const texts = [
    ...(answerFormat?.instruction === undefined ? [] : [answerFormat.instruction]),
    ...tools.map(
      ({ name, description, inputSchema }) => name + description + JSON.stringify(inputSchema),
    ),
    ...fixed.map(textOfUnit),
  ];
  const overhead =
    tools.length * PART_TOKENS +
    [...fixed, ...older].reduce((sum, unit) => sum + overheadOf(unit), 0);
  const ofFiles = fixed.reduce((sum, unit) => sum + filesTokens(unit), 0);
  const budget = Math.max(0, Math.floor(contextTokens - answerTokens - overhead - ofFiles));
  const newestFirst = older.toReversed();
  const further = [...texts.map(() => 0), ...newestFirst.map(filesTokens)];
  const counted = [...texts, ...newestFirst.map(textOfUnit)];
  const fitting = await fitTexts({ texts: counted, further, budget }, countFitting);
  const fits = fitInBlocks(older.map(textOfUnit), Math.max(0, fitting - texts.length));
  return [...pinned, ...fromQuestion([...older.slice(older.length - fits), newest]).flat()];
}

/** Whether a message stays in a prompt of any length. */
export function isPinned(message: PromptMessage): boolean {
  return message.role === "system" && message.isPinned === true;
}

/** The finished steps of a turn as messages: each with its calls, and their results after it. */
export function messagesOfSteps({
  finishedSteps,
  finishedCalls,
  rank = 0,
}: Pick<StepRequest, "finishedSteps" | "finishedCalls" | "rank">): PromptMessage[] {
  return finishedSteps.flatMap((finished: EarlierStep): PromptMessage[] => {
    const { step, replay, held, content } = finished;
    const calls = finishedCalls.filter((call) => call.step === step);
    const parts = [
      ...textParts(held?.text ?? content),
      ...calls.map(({ id, name, params }) => ({ type: "call" as const, id, name, params })),
    ];
    const results = calls.map(({ id, name, output, files = [] }, position) => {
      const shown = shownResult(output, { rank, step, position });
      return { type: "result" as const, id, name, output: [...textParts(shown), ...files] };
    });
    const answer = { role: "assistant", parts, replay } as const;
    if (results.length === 0) return [answer, ...correctionOf(finished)];
    return [answer, { role: "tool", parts: results }];
  });
}

/** What the model has said after calls whose results nothing followed: Mistral refuses a question after results. */
const ENDED = "[The answer ended here.]";

/** Without a last message that says nothing after imported turns: these are what is answered. */
function withoutBlank(history: readonly HistoryMessage[]): readonly HistoryMessage[] {
  const [before, last] = history.slice(-2);
  const isBlank = last?.type === "user_message" && last.content.trim() === "";
  const imported = before === undefined ? undefined : importedMessages(before);
  return isBlank && imported !== undefined && imported.length > 0 ? history.slice(0, -1) : history;
}

function toPromptMessages(message: HistoryMessage): PromptMessage[] {
  const imported = importedMessages(message);
  if (imported !== undefined) return imported;
  if (message.called === undefined) return [toPromptMessage(message)];
  const messages = messagesOfSteps(message.called);
  const isOver = messages.at(-1)?.role !== "tool";
  return isOver ? messages : [...messages, { role: "assistant", parts: textParts(ENDED) }];
}

function toPromptMessage(message: HistoryMessage): PromptMessage {
  const { type, content, title, contentType, values, given, from } = message;
  const label = from === undefined ? [] : [added(`<message from=${from}>\n`)];
  // An answer of another agent is none of its own.
  if (from !== undefined && type === "agent_message") {
    return { role: "user", parts: [...label, ...textParts(content)] };
  }
  if (type === "agent_message") return { role: "assistant", parts: textParts(content) };
  if (type === "user_message") {
    const frozen = values === undefined ? [] : [added(values)];
    return { role: "user", parts: [...frozen, ...label, ...textParts(content)] };
  }
  const about = `title=${JSON.stringify(title)} type=${JSON.stringify(contentType)}`;
  const heading = `<attachment ${about}>\n`;
  if (given?.some(isFilePart) === true) {
    return { role: "user", parts: [...textParts(heading), ...given] };
  }
  return { role: "system", parts: textParts(heading + textGivenBy(message)) };
}

/** Text beside what its author has written. */
const added = (text: string) => ({ ...textParts(text)[0], isAdded: true }) as const;

const filesTokens = (unit: PromptUnit) =>
  unit.reduce((sum, message) => sum + tokensOfFiles(message), 0);

/** The text that a message of the history gives, without headings. */
function textGivenBy({ content, given }: HistoryMessage): string {
  return given === undefined ? content : textOf({ parts: given });
}
