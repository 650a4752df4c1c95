import { callServer, errorTypeOf } from "../connection/call-server.ts";
import { connect, connectAsOperator, type ServerConnection } from "../connection/connect.ts";
import { type ItemOf, readListed } from "./endpoint-calls.ts";
import { readList } from "./find-one.ts";
import { type Find, findIn, nounOf } from "./noun.ts";
import type {
  FunctionStatus,
  ListAgents,
  Skill,
  SkillAvailability,
  SkillStatus,
} from "@parley/schema";
import { readPages } from "../connection/read-pages.ts";

// The nouns that commands about others name too.

export const agents = nounOf("agents.listAll", {
  many: "agents",
  one: "agent",
  open: connect,
  // Those that can be mentioned; archived ones and drafts are builders' to list.
  read: (
    { parley }: ServerConnection,
    { view }: { readonly view?: ListAgents["view"] | null } = {},
  ) =>
    readList<ItemOf<"agents.listAll">>(
      parley.agents.list(view == null ? {} : { view }).then((answer) => answer.agentConfigurations),
    ),
});
export const findAgent = findIn(agents);

export const files = nounOf("files.list", {
  many: "files",
  one: "file",
  open: connect,
  nameOf: ({ fileName }) => fileName,
});
export const findFile = findIn(files);

export const members = nounOf("members.list", {
  many: "members",
  one: "member",
  open: connect,
  nameOf: ({ email }) => email,
});
export const findMember = findIn(members);

export const keys = nounOf("apiKeys.list", { many: "keys", one: "key", open: connect });

/** Reads the keys. Revoked ones are told apart from new ones of the same name by leaving them out. */
export async function* readKeys(
  connection: ServerConnection,
  { revoked = false }: { readonly revoked?: boolean | undefined } = {},
) {
  for await (const key of keys.read(connection)) if (revoked || key.revokedAt === null) yield key;
}
export const findKey = findIn(keys, readKeys);

export const tools = nounOf("tools.list", {
  many: "tools",
  one: "tool",
  open: connect,
  idOf: ({ tool }) => tool.sId,
  nameOf: ({ tool }) => tool.name,
  versionOf: async (_connection, { item }) => item?.version,
});
export const findTool = findIn(tools);

export const spaces = nounOf("spaces.listAll", { many: "spaces", one: "space", open: connect });

/** Reads all spaces if the key is an admin's, else those that it reaches. */
async function* readReached(connection: ServerConnection) {
  try {
    yield* spaces.read(connection);
  } catch (error) {
    if (errorTypeOf(error) !== "app_auth_error") throw error;
    // The keys of a space are for admins.
    for await (const space of readListed(connection, "spaces.list")) yield { ...space, keyIds: [] };
  }
}
export const findSpace = findIn(spaces, readReached);

export const functions = nounOf("sandboxFunctions.list", {
  many: "functions",
  one: "function",
  open: connect,
  nameOf: ({ slug }) => slug,
  // Those that can be invoked.
  read: ({ parley }: ServerConnection) =>
    readPages(
      async (place) => parley.functions.list(place),
      ({ sandboxFunctions }) => sandboxFunctions,
    ),
  versionOf: async (_connection, { item }) => item?.version,
});
export const findFunction = findIn(functions);

/** Reads the functions in a state, for builders; without one those that can be invoked. Throws `CommandError`. */
export const readFunctions = (connection: ServerConnection, status?: FunctionStatus) =>
  status === undefined
    ? functions.read(connection)
    : readListed(connection, "sandboxFunctions.listAll", { status });

export const triggers = nounOf("triggers.listAll", {
  many: "triggers",
  one: "trigger",
  open: connect,
  versionOf: async (_connection, { item }) => item?.version,
});
export const findTrigger = findIn(triggers);

export const webhooks = nounOf("webhooks.list", {
  many: "webhooks",
  one: "webhook",
  open: connect,
  nameOf: ({ url }) => url,
  versionOf: async (_connection, { item }) => item?.version,
});
export const findWebhook = findIn(webhooks);

export const alerts = nounOf("alerts.list", {
  many: "alerts",
  one: "alert",
  open: connect,
  versionOf: async (_connection, { item }) => item?.version,
});

export const traceDestinations = nounOf("traceDestinations.list", {
  many: "traces destinations",
  one: "trace destination",
  open: connect,
  versionOf: async (_connection, { item }) => item?.version,
});

export const dataSources = nounOf("dataSourceViews.list", {
  many: "knowledge",
  one: "data source",
  open: connect,
  idOf: ({ dataSourceId }) => dataSourceId,
});
export const findDataSource = findIn(dataSources);

export const schedules = nounOf("schedules.list", {
  many: "schedules",
  one: "schedule",
  open: connect,
  versionOf: async (_connection, { item }) => item?.version,
});
export const findSchedule = findIn(schedules);

export const skills = nounOf("skills.list", {
  many: "skills",
  one: "skill",
  open: connect,
  // Read just before the change.
  versionOf: async ({ rpc, wId }: ServerConnection, { id }) =>
    (await rpc.skills.get.query({ wId, skillId: id })).version,
});

export const conversations = nounOf("conversations.list", {
  many: "conversations",
  one: "conversation",
  open: connect,
});

export const runs = nounOf("runs.list", {
  many: "runs",
  one: "run",
  open: connect,
  idOf: ({ id }) => id,
});

export const waitingCalls = nounOf("actions.listBlocked", {
  many: "approvals",
  one: "call",
  open: connect,
  idOf: ({ actionId }) => actionId,
  nameOf: ({ metadata }) => metadata.toolName,
});

export const credentials = nounOf("providerCredentials.list", {
  many: "credentials",
  one: "credential",
  open: connect,
  idOf: ({ providerId }) => providerId,
  nameOf: ({ providerId }) => providerId,
});

export const webSources = nounOf("webSources.list", {
  many: "knowledge sources",
  one: "web source",
  open: connect,
  nameOf: ({ url }) => url,
  versionOf: async (_connection, { item }) => item?.version,
});

export const budgets = nounOf("budgets.list", { many: "budgets", one: "budget", open: connect });
export const serverBudgets = nounOf("budgets.listServer", {
  many: "server-budgets",
  one: "budget of the server",
  open: connectAsOperator,
});

export const workspaces = nounOf("workspaces.list", {
  many: "workspaces",
  one: "workspace",
  open: connectAsOperator,
});

export const operatorKeys = nounOf("operatorKeys.list", {
  many: "operator-keys",
  one: "operator key",
  open: connectAsOperator,
});

interface Filters {
  readonly status?: SkillStatus | undefined;
  readonly availability?: SkillAvailability | undefined;
}

/** Reads the skills that the key may see; an admin's sees unpublished ones too. Throws `CommandError`. */
async function* readSkills(
  { parley, rpc }: ServerConnection,
  { status, availability }: Filters,
): AsyncGenerator<Skill> {
  const { session } = await callServer(rpc.session.get.query({}));
  const listed = await callServer(
    parley.skills.list({
      ...(status !== undefined && { status }),
      ...(availability !== undefined && { availability: [availability] }),
      ...(session.role === "admin" && { bypassEditorVisibility: true }),
    }),
  );
  yield* listed.skills;
}

/** Reads the skills in several states. */
export async function* readEach(
  connection: ServerConnection,
  statuses: readonly SkillStatus[],
  filters: Omit<Filters, "status"> = {},
): AsyncGenerator<Skill> {
  for (const status of statuses) yield* readSkills(connection, { ...filters, status });
}

/** Finds the skill with an id or a name, in one of these states. */
export const findSkill =
  (...statuses: SkillStatus[]): Find<ServerConnection, Skill> =>
  async (connection, reference) => {
    const byId = await readById(connection, reference);
    if (byId !== undefined && statuses.includes(byId.status)) {
      return { id: byId.sId, name: byId.name, item: byId };
    }
    return findIn(skills, () => readEach(connection, statuses))(connection, reference);
  };

/** The skill with an id, also an unpublished one, which lists show to admins alone; nothing without a builder's key. */
async function readById(
  { rpc, wId }: ServerConnection,
  skillId: string,
): Promise<Skill | undefined> {
  if (!skillId.startsWith("skl_")) return undefined;
  try {
    return (await callServer(rpc.skills.get.query({ wId, skillId }))).skill;
  } catch (error) {
    const type = errorTypeOf(error);
    if (type === "skill_not_found" || type === "app_auth_error") return undefined;
    throw error;
  }
}
