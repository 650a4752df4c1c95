import * as tables from "@parley/db";
import {
  type Endpoint,
  endpoints,
  type InputOf,
  parseInput,
  type ParsedInputOf,
} from "@parley/schema";
import { getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { archiveAgent, createAgent, updateAgent } from "./agent-administration.ts";
import type { Core, RequestContext } from "./context.ts";
import {
  createDataSourceView,
  listDataSourceViews,
  putDataSourceNode,
  removeDataSourceNode,
} from "./data-sources.ts";
import { deleteWorkspace } from "./delete-workspace.ts";
import { addMember, listMembers, removeMember } from "./members.ts";
import { putProviderCredential } from "./provider-credentials.ts";
import { createSpace, updateSpace } from "./spaces.ts";
import { createWorkspace, getWorkspace, updateWorkspace } from "./workspaces.ts";

/** What an operator does with workspaces: each input is parsed as the endpoint parses it. */
export type TestOperator = ReturnType<typeof openTestOperator>;

/** Opens what an operator, or the caller of `by`, administers workspaces with. */
export function openTestOperator(core: Core, by?: RequestContext) {
  // Of an operator's key nothing is read.
  const operator = { caller: { kind: "operator" } };
  const context = by ?? Object.assign(Object.create(core) as RequestContext, operator);
  const call =
    <E extends Endpoint, Output>(
      endpoint: E,
      run: (context: RequestContext, input: ParsedInputOf<E>) => Promise<Output>,
    ) =>
    async (input: InputOf<E>): Promise<Output> =>
      run(context, parseInput(endpoint, input));
  return {
    context,
    createWorkspace: call(endpoints["workspaces.create"], createWorkspace),
    getWorkspace: call(endpoints["workspaces.get"], getWorkspace),
    updateWorkspace: call(endpoints["workspaces.update"], updateWorkspace),
    deleteWorkspace: call(endpoints["workspaces.delete"], deleteWorkspace),
    addMember: call(endpoints["members.add"], addMember),
    listMembers: call(endpoints["members.list"], listMembers),
    removeMember: call(endpoints["members.remove"], removeMember),
    createSpace: call(endpoints["spaces.create"], createSpace),
    updateSpace: call(endpoints["spaces.update"], updateSpace),
    putProviderCredential: call(endpoints["providerCredentials.put"], putProviderCredential),
    createAgent: call(endpoints["agents.create"], createAgent),
    updateAgent: call(endpoints["agents.update"], updateAgent),
    archiveAgent: call(endpoints["agents.archive"], archiveAgent),
    createDataSourceView: call(endpoints["dataSourceViews.create"], createDataSourceView),
    listDataSourceViews: call(endpoints["dataSourceViews.list"], listDataSourceViews),
    putDataSourceNode: call(endpoints["dataSourceNodes.put"], putDataSourceNode),
    removeDataSourceNode: call(endpoints["dataSourceNodes.remove"], removeDataSourceNode),
  };
}

/** How a request was refused, as `status type`; `accepted` where it was not. */
export async function refusalOf(request: Promise<unknown>): Promise<string> {
  return request.then(
    () => "accepted",
    (error: { status?: number; type?: string }) =>
      error.type === undefined ? String(error) : `${error.status} ${error.type}`,
  );
}

/** The number of rows of every table, by its name. */
export async function countTestRows({ database }: Core): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of Object.values<unknown>(tables)) {
    if (is(table, PgTable)) counts[getTableName(table)] = await database.db.$count(table);
  }
  return counts;
}
