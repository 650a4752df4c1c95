import { group } from "@parley/command/group";
import type { ScheduleFiring } from "@parley/schema";
import { connect, type ServerConnection } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import { inputOf, readListed } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import { nounOf } from "../grammar/noun.ts";
import { findSchedule } from "../grammar/nouns.ts";
import { shortTime } from "../terminal/short-time.ts";

const noun = nounOf("schedules.listFirings", { many: "firings", one: "firing", open: connect });

/** Firings that are listed by default. */
const NEWEST = 20;

async function* readFirings(
  connection: ServerConnection,
  filters: object,
  reference: string,
): AsyncGenerator<ScheduleFiring> {
  const { id: scheduleId } = await findSchedule(connection, reference);
  yield* readListed(connection, "schedules.listFirings", { scheduleId, ...filters });
}

/** What was started: a conversation, or an invocation. */
const startedBy = ({ conversationId, invocationId }: ScheduleFiring): string | null =>
  conversationId ?? invocationId;

/** Makes the commands about the firings of a schedule; without a name of one, they are listed. */
export const createFiringCommands = (context: Context) =>
  group(
    "firings",
    "the times of a schedule, and what came of them",
    [
      listCommand(context, noun, {
        about: "list the firings of a schedule, newest first",
        limit: NEWEST,
        of: "schedule",
        by: "id or name",
        filters: inputOf("schedules.listFirings"),
        read: readFirings,
        columns: {
          ID: ({ sId }) => sId,
          TIME: ({ slot, isManual }) => (isManual ? `${shortTime(slot)} by hand` : shortTime(slot)),
          STATUS: ({ status }) => status,
          STARTED: ({ startedAt }) => shortTime(startedAt),
          WHAT: startedBy,
          REASON: ({ reason }) => reason,
        },
      }),
    ],
    { byDefault: "list" },
  );
