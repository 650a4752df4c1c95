import type { AgentMessage, ConversationMessage, ImportedTurn } from "@parley/schema";
import { callEndpoint } from "../../requests/call-endpoint.ts";
import type { DoorExchange } from "../door.ts";
import type { Preceding } from "../fragments.ts";
import type { ResponsePlace } from "./response-ids.ts";

/** Positions that a page has. */
const PAGE = 100;
/** Positions that a fork takes up: what is older, models are mostly not given either. */
const MAX_POSITIONS = 500;

/**
 * What a conversation said up to an answer, for a response that continues it in a conversation of its own: two responses
 * that continue the same one do not see each other.
 */
export async function readForked(
  exchange: DoorExchange,
  place: ResponsePlace,
  rank: number,
): Promise<Preceding[]> {
  const params = { cId: place.conversationId };
  const found: ConversationMessage[] = [];
  for (let before = rank + 1; before > 0 && found.length < MAX_POSITIONS;) {
    const query = { limit: PAGE, lastValue: `${before}.0` };
    // oxlint-disable-next-line no-await-in-loop -- a page after the other
    const page = await callEndpoint(exchange, "conversations.get", { params, query });
    const messages = page.conversation.content.map((versions) => versions.at(-1)!);
    found.unshift(...messages);
    if (page.hasMore !== true || messages.length === 0) break;
    before -= messages.length;
  }
  const preceding: Preceding[] = [];
  let turns: ImportedTurn[] = [];
  for (const message of found) {
    if (message.type !== "content_fragment") {
      turns.push(...turnsOf(message));
      continue;
    }
    const fileId = "fileId" in message ? message.fileId : null;
    if (typeof fileId !== "string") continue;
    if (turns.length > 0) preceding.push({ turns });
    turns = [];
    preceding.push({ file: { path: "previous_response_id", name: message.title, fileId } });
  }
  return turns.length > 0 ? [...preceding, { turns }] : preceding;
}

function turnsOf(
  message: Exclude<ConversationMessage, { type: "content_fragment" }>,
): ImportedTurn[] {
  if (message.type === "user_message") return [{ role: "user", text: message.content }];
  const ended = message.actions.filter(({ output }) => output !== null);
  const steps = [...new Set(ended.map(({ step }) => step))].toSorted((a, b) => a - b);
  const called = steps.flatMap((step): ImportedTurn[] => {
    const calls = ended.filter((action) => action.step === step);
    return [
      {
        role: "assistant",
        text: message.rawContents.find((one) => one.step === step)?.content ?? "",
        calls: calls.map(({ sId: id, functionCallName, params }) => {
          return { id, name: functionCallName.slice(0, 64), params };
        }),
      },
      {
        role: "tool",
        results: calls.map(({ sId: id, functionCallName, output }) => {
          return { id, name: functionCallName.slice(0, 64), output: textOf(output) };
        }),
      },
    ];
  });
  const rest = message.rawContents.filter(({ step }) => !steps.includes(step));
  const text = steps.length === 0 ? message.content : rest.map(({ content }) => content).join("");
  return text === "" ? called : [...called, { role: "assistant", text }];
}

function textOf(output: AgentMessage["actions"][number]["output"]): string {
  const parts = (output ?? []) as { readonly text?: string }[];
  return parts.map((part) => part.text ?? "").join("\n");
}
