import { Buffer } from "node:buffer";
import type { BriefAgent } from "../agents/agents.ts";
import type { MessageRow } from "../data-access/rows.ts";
import type { Billing } from "../usage/turn-billing.ts";
import { historyBytesOf } from "./history-bytes.ts";
import type { HistoryRow, TurnInput } from "./load-turns.ts";
import { authorOfNew } from "./history-authors.ts";
import type { TurnFunction } from "./turn-functions.ts";
import { distinctSkills, type TurnSkill } from "./turn-skills.ts";
import type { TurnServer } from "./turn-tools.ts";

/** What a turn of a new conversation is made from. */
export interface NewTurnParts {
  readonly conversation: TurnInput["conversation"];
  readonly message: MessageRow;
  readonly agent: BriefAgent;
  /** The messages before the first answer, by position. */
  readonly asked: readonly MessageRow[];
  readonly skills: readonly TurnSkill[] | null;
  readonly functions: readonly TurnFunction[] | null;
  readonly servers: readonly TurnServer[] | null;
  readonly billing: Billing;
}

/** The input of a turn in a new conversation: what a claim of it would read, from what is being written. */
export function newTurnInput(parts: NewTurnParts): TurnInput {
  const { conversation, message, agent, asked, skills, functions, servers, billing } = parts;
  return {
    conversation,
    message,
    agent,
    summary: null,
    history: fitHistory(asked, historyBytesOf(message.modelSelection ?? agent)),
    actions: [],
    skills: distinctSkills(skills),
    functions: functions ?? [],
    servers: servers ?? [],
    billing,
  };
}

/** The newest messages whose texts fit; the last one, which is answered, always does. */
function fitHistory(asked: readonly MessageRow[], maxBytes: number): HistoryRow[] {
  let bytes = 0;
  const fitting = asked.toReversed().filter(({ content }, index) => {
    bytes += Buffer.byteLength(content);
    return index === 0 || bytes <= maxBytes;
  });
  return fitting.toReversed().map((row) => {
    const { sid, rank, type, content, fragment } = row;
    const unanswered = { called: null, parentMessageId: null, promptValues: null };
    return { sid, rank, type, content, fragment, ...unanswered, author: authorOfNew(row) };
  });
}
