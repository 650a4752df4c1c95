import type { CountTokens } from "./count-tokens.ts";
import { messagesOfSteps } from "./prompt.ts";
import { tokensOfFiles } from "./prompt-files.ts";
import { overheadOf, PART_TOKENS, textOfUnit, unitsOf } from "./prompt-units.ts";
import type { StepRequest } from "./provider.ts";

export type { CountTokens } from "./count-tokens.ts";

/** Tokens of services with a tokenizer of their own, for each of ours: the most that a text was seen to take. */
const MARGINS: Readonly<Record<string, number>> = { openai: 1.05 };
const OTHER_MARGIN = 1.4;

/**
 * Bytes of a prompt that is not counted: a token of any tokenizer has at least one, and what the prompt may cost is
 * then little beside what the answer may.
 */
const UNCOUNTED_BYTES = 4096;

/** The most tokens that a service can be expected to count for the request of a step as it is sent. */
export async function countPrompt(
  providerId: string,
  request: StepRequest,
  countTokens: CountTokens,
): Promise<number> {
  const { prompt, tools, answerFormat } = request;
  const messages = [...prompt, ...messagesOfSteps(request)];
  const units = unitsOf(messages);
  const { instruction = "", schema } = answerFormat ?? {};
  const format = schema === undefined ? "" : instruction + JSON.stringify(schema);
  const offered = tools.map(
    ({ name, description, inputSchema }) => name + description + JSON.stringify(inputSchema),
  );
  const texts = [format, ...offered, ...units.map(textOfUnit)];
  const overhead = units.reduce((sum, unit) => sum + overheadOf(unit), tools.length * PART_TOKENS);
  const files = messages.reduce((sum, message) => sum + tokensOfFiles(message), 0);
  const margin = MARGINS[providerId] ?? OTHER_MARGIN;
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const ofTexts = bytes <= UNCOUNTED_BYTES ? bytes : (await countTokens(texts)) * margin;
  return Math.ceil(Math.min(bytes, ofTexts) + (overhead + files) * margin);
}
