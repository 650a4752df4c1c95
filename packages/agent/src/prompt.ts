import type { PromptMessage } from "./provider.ts";
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

/** Characters of a prompt, its instructions aside; the oldest messages go first. */
const MAX_CHARACTERS = 400_000;

/**
 * Builds the prompt of a turn from the agent's instructions, the skills it has and the messages
 * before the answer.
 */
export function buildPrompt(
  instructions: string | null,
  history: readonly HistoryMessage[],
  skills: readonly OfferedSkill[] = [],
): PromptMessage[] {
  const messages: PromptMessage[] = [];
  let budget = MAX_CHARACTERS;
  for (const message of history.toReversed()) {
    budget -= message.content.length;
    // The newest message is always in the prompt.
    if (budget < 0 && messages.length > 0) break;
    messages.unshift(toPromptMessage(message));
  }
  const offer = describeSkills(skills);
  if (offer !== null) messages.unshift({ role: "system", content: offer });
  if (instructions !== null) messages.unshift({ role: "system", content: instructions });
  return messages;
}

function toPromptMessage({ type, content, title, contentType }: HistoryMessage): PromptMessage {
  if (type === "agent_message") return { role: "assistant", content };
  if (type === "user_message") return { role: "user", content };
  const about = `title=${JSON.stringify(title)} type=${JSON.stringify(contentType)}`;
  return { role: "system", content: `<attachment ${about}>\n${content}` };
}
