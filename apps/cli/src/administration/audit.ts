import { group } from "@parley/command/group";
import { callServer } from "../connection/call-server.ts";
import { connectToServer } from "../connection/connect.ts";
import { inputOf } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import { nounOf } from "../grammar/noun.ts";
import { shortTime } from "../terminal/short-time.ts";
import type { Context } from "../connection/context.ts";

/** Entries that are listed by default: a log has no end. */
const NEWEST = 50;

type Server = Awaited<ReturnType<typeof connectToServer>>;

const noun = nounOf("audit.list", {
  many: "audit",
  one: "entry",
  open: connectToServer,
  idOf: ({ id }) => String(id),
});

/** The workspace that is named, or that of the key; all of the server for an operator who names none. */
async function workspaceOf({ rpc, workspaceId }: Server): Promise<string | undefined> {
  if (workspaceId !== undefined) return workspaceId;
  return (await callServer(rpc.session.get.query({}))).session.workspace?.sId;
}

/** Makes the commands about the audit log. */
export const createAuditCommands = (context: Context) =>
  group("audit", "log of changes and refused credentials", [
    listCommand(context, noun, {
      about: "list the entries, newest first; operators see all workspaces",
      limit: NEWEST,
      filters: inputOf("audit.list", ["wId"]),
      read: async function* readAll(server, filters) {
        const wId = await workspaceOf(server);
        yield* noun.read(server, { wId, ...filters });
      },
      columns: {
        TIME: ({ at }) => shortTime(at),
        ACTION: ({ action }) => action,
        OUTCOME: ({ outcome }) => outcome,
        ACTOR: ({ actor }) => actor?.name,
        SUBJECT: ({ subjectId }) => subjectId,
        WORKSPACE: ({ workspaceId }) => workspaceId,
        CLIENT: ({ clientIp }) => clientIp,
      },
    }),
  ]);
