import { group } from "@parley/command/group";
import { CreateWebSource, UpdateWebSource, type WebSource } from "@parley/schema";
import { connect, type ServerConnection } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import { callEndpoint, inputOf, readListed } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import { findIn, type Named, nounOf } from "../grammar/noun.ts";
import { findDataSource, webSources as noun } from "../grammar/nouns.ts";
import {
  actionCommand,
  createCommand,
  getCommand,
  updateCommand,
} from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";

const pages = nounOf("webSources.listPages", {
  many: "knowledge sources pages",
  one: "page",
  open: connect,
  idOf: ({ url }) => url,
  nameOf: ({ url }) => url,
});

/** Finds the view of a data source, by the id or the name of the data source. */
async function findView(connection: ServerConnection, reference: string): Promise<Named> {
  const { item, ...found } = await findDataSource(connection, reference);
  return { ...found, id: item?.sId ?? found.id };
}

/** Whether it is read now, or how that went the last time. */
function stateOf({ isRefreshing, lastRefresh }: WebSource): string {
  if (isRefreshing) return "refreshing";
  if (lastRefresh === null) return "never read";
  const { outcome, failure, failed } = lastRefresh;
  if (failure !== null) return `${outcome}: ${failure}`;
  return failed === 0 ? outcome : `${outcome}, ${failed} failed`;
}

/** What is created: `--url` names the server, so the page is the argument. */
const created = inputOf("webSources.create", ["url", "dataSourceViewId"]).extend({
  page: CreateWebSource.shape.url,
  into: CreateWebSource.shape.dataSourceViewId.describe("Data source that it fills"),
});

/** Makes the commands about what of the web data sources are filled from. */
export const createWebSourceCommands = (context: Context) =>
  group("sources", "what of the web data sources are filled from", [
    listCommand(context, noun, {
      about: "list the web sources, and how they were read the last time",
      columns: {
        ID: ({ sId }) => sId,
        URL: ({ url }) => url,
        KIND: ({ kind }) => kind,
        STATE: stateOf,
        PAGES: ({ lastRefresh }) => lastRefresh?.read,
        NEXT: ({ nextRefreshAt }) => shortTime(nextRefreshAt),
      },
    }),
    getCommand(context, noun),
    createCommand(context, noun, {
      about: "fill a data source from the web, at once and by a schedule",
      argument: "page",
      schema: created,
      references: { into: findView },
      call: async (connection, { page: url, into: dataSourceViewId, ...input }) =>
        callEndpoint(connection, "webSources.create", { ...input, url, dataSourceViewId }),
    }),
    updateCommand(context, noun, {
      schema: UpdateWebSource.omit({ wId: true, webSourceId: true, version: true }),
      call: "webSources.update",
    }),
    actionCommand(context, noun, {
      name: "refresh",
      about: "read a web source again now",
      did: "refreshing",
      call: "webSources.refresh",
    }),
    actionCommand(context, noun, {
      name: "cancel",
      about: "stop reading a web source; what was read stays",
      did: "cancelled",
      call: "webSources.cancel",
    }),
    actionCommand(context, noun, {
      name: "remove",
      about: "remove a web source with its documents",
      did: "removed",
      destroys: ({ name }) => `remove the web source ${name} with its documents`,
      call: "webSources.remove",
    }),
    listCommand(context, pages, {
      name: "pages",
      about: "list the pages of a web source, and why some were not read",
      of: "web-source",
      by: "id or URL",
      filters: inputOf("webSources.listPages", ["limit", "lastValue"]),
      read: readWebPages,
      columns: {
        URL: ({ url }) => url,
        STATE: ({ state }) => state,
        STATUS: ({ status }) => status,
        CHECKED: ({ checkedAt }) => shortTime(checkedAt),
        REASON: ({ reason }) => reason,
      },
    }),
  ]);

async function* readWebPages(connection: ServerConnection, filters: object, reference: string) {
  const { id: webSourceId } = await findIn(noun)(connection, reference);
  yield* readListed(connection, "webSources.listPages", { webSourceId, ...filters });
}
