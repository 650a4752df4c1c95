/** Values of instructions, as they are when an agent is asked: later steps and turns send the same bytes. */
import { messages, type Queryable, users } from "@parley/db";
import { namedValues, toListedTimezone, type ValueName, valueNames } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import type { BriefAgent } from "../agents/agents.ts";
import type { Context } from "../context.ts";
import type { ConversationRow, MessageRow, UserRow, WorkspaceRow } from "../data-access/rows.ts";

/** UTF-16 code units of a value: those of a name, or of an e-mail address. */
const MAX_VALUE = 255;

/** Who asks, and where. */
export interface Asking {
  readonly conversation: Pick<ConversationRow, "sid">;
  readonly user: Pick<UserRow, "username" | "fullName" | "email" | "externalId">;
  /** Of the message that is answered. */
  readonly context: MessageRow["context"];
}

type Agent = Pick<BriefAgent, "instructions" | "rendersInstructions">;

/**
 * The values that the agent's instructions name, as `prompt_values` keeps them: JSON of texts by their names.
 * Null if they name none. Of instructions that are long, and so not at hand, all values.
 */
export function freezeValues(
  core: {
    readonly caller: { readonly workspace: Pick<WorkspaceRow, "name"> };
    readonly now: () => number;
  },
  { rendersInstructions, instructions }: Agent,
  asking: Asking,
): string | null {
  if (!rendersInstructions) return null;
  const names = instructions === null ? valueNames : namedValues(instructions);
  if (names.length === 0) return null;
  const { conversation, user, context } = asking;
  // A key's service user stands for whom the message names.
  const isServiceUser = user.email === "" && user.externalId === null;
  const said = isServiceUser ? context : null;
  const all: Record<ValueName, () => string | undefined> = {
    now: () => toHour(core.now(), context?.timezone ?? "UTC"),
    "user.name": () => said?.fullName || said?.username || user.fullName || user.username,
    "user.email": () => said?.email ?? user.email,
    "workspace.name": () => core.caller.workspace.name,
    "conversation.id": () => conversation.sid,
  };
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, toValue(all[name]())])));
}

/** The values of an answer that is made again, as they are now. Reads who asked, if the instructions name any. */
export async function freezeAgain(
  context: Pick<Context, "caller" | "now">,
  db: Queryable,
  {
    agent,
    answer,
    conversation,
  }: { agent: Agent; answer: MessageRow; conversation: Asking["conversation"] },
): Promise<string | null> {
  if (!agent.rendersInstructions) return null;
  const [asked] = await db
    .select({ user: users, context: messages.context })
    .from(messages)
    .innerJoin(users, eq(users.id, messages.userId))
    .where(
      and(
        eq(messages.sid, answer.parentMessageId ?? ""),
        eq(messages.workspaceId, answer.workspaceId),
      ),
    );
  if (asked === undefined) throw new Error(`Nobody asked for the answer ${answer.sid}`);
  return freezeValues(context, agent, { conversation, ...asked });
}

function toValue(value = ""): string {
  return value
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, MAX_VALUE)
    .toWellFormed();
}

/** The day and the hour in a time zone, as `Friday, 2026-11-27, after 11:00 (Europe/London)`. */
function toHour(milliseconds: number, timezone: string): string {
  const listed = toListedTimezone(timezone);
  const format = new Intl.DateTimeFormat("en", {
    // The one name that the runtime lacks is an alias.
    timeZone: listed,
    calendar: "iso8601",
    weekday: "long",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    hourCycle: "h23",
  });
  const parts = new Map(
    format.formatToParts(milliseconds).map(({ type, value }) => [type, value] as const),
  );
  const { weekday, year, month, day, hour } = Object.fromEntries(parts);
  return `${weekday}, ${year}-${month}-${day}, after ${hour}:00 (${timezone})`;
}
