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
import { archiveAgent, createAgent, updateAgent } from "../src/agents/agent-administration.ts";
import {
  getAgentVersion,
  listAgentVersions,
  restoreAgentVersion,
} from "../src/agents/version-history.ts";
import type { Core, CoreRequest } from "../src/create-core.ts";
import { deleteWorkspace } from "../src/delete-workspace.ts";
import {
  createDataSourceView,
  listDataSourceViews,
  putDataSourceNode,
  removeDataSourceNode,
  removeDataSourceView,
} from "../src/knowledge/data-source-administration.ts";
import { addMember, listMembers, removeMember } from "../src/workspaces/members.ts";
import { putProviderCredential } from "../src/workspaces/provider-credentials.ts";
import { createSpace, updateSpace } from "../src/workspaces/spaces.ts";
import { createWorkspace, getWorkspace, updateWorkspace } from "../src/workspaces/workspaces.ts";

/** Administrative functions, whose inputs are parsed as by their endpoints. */
export type TestOperator = ReturnType<typeof openTestOperator>;

/** Opens the administration as an operator, or as the caller of `by`. */
export function openTestOperator(core: Core, by?: CoreRequest) {
  // No function reads the key of an operator.
  const operator = { caller: { kind: "operator" }, signal: new AbortController().signal };
  const context = by ?? Object.assign(Object.create(core) as CoreRequest, operator);
  const call =
    <E extends Endpoint, Output>(
      endpoint: E,
      run: (context: CoreRequest, input: ParsedInputOf<E>) => Promise<Output>,
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
    listAgentVersions: call(endpoints["agents.listVersions"], listAgentVersions),
    getAgentVersion: call(endpoints["agents.getVersion"], getAgentVersion),
    restoreAgentVersion: call(endpoints["agents.restoreVersion"], restoreAgentVersion),
    archiveAgent: call(endpoints["agents.archive"], archiveAgent),
    createDataSourceView: call(endpoints["dataSourceViews.create"], createDataSourceView),
    listDataSourceViews: call(endpoints["dataSourceViews.list"], listDataSourceViews),
    putDataSourceNode: call(endpoints["dataSourceNodes.put"], putDataSourceNode),
    removeDataSourceView: call(endpoints["dataSourceViews.remove"], removeDataSourceView),
    removeDataSourceNode: call(endpoints["dataSourceNodes.remove"], removeDataSourceNode),
  };
}

/** The error of a request as `status type`; `accepted` without one. */
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
