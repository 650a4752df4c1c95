import { SkillStatus } from "@parley/schema";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { type Caller, readListed } from "../grammar/endpoint-calls.ts";
import type { Noun } from "../grammar/noun.ts";
import * as nouns from "../grammar/nouns.ts";
import type { Choice } from "../terminal/choose-one.ts";
import { shortTime } from "../terminal/short-time.ts";

/** The call of a command that lacks something. */
interface Call {
  /** The words of the command, as `agents versions get`. */
  readonly words: string;
  /** The arguments that it has. */
  readonly given: readonly string[];
}

/** What the server can list of what a command lacks. */
interface Offer {
  /** One of them in a question, as `agent`. */
  readonly one: string;
  readonly read: (context: Context, options: ServerOptions, call: Call) => AsyncIterable<Choice>;
}

/** Offers what a noun lists, or what a call of some commands can name of it. */
function offer<Connection extends Caller, Item>(
  noun: Noun<Connection, Item>,
  {
    read = (connection) => noun.read(connection),
    describe = (item) => (item as { readonly description?: string }).description ?? noun.idOf(item),
    nameOf = noun.nameOf,
  }: {
    readonly read?: (connection: Connection, call: Call) => AsyncIterable<Item>;
    readonly describe?: (item: Item) => string;
    readonly nameOf?: (item: Item) => string;
  } = {},
): Offer {
  return {
    one: noun.one,
    read: async function* (context, options, call) {
      const connection = await noun.open(context, options);
      for await (const item of read(connection, call)) {
        const id = noun.idOf(item);
        yield { id, name: nameOf(item) || id, description: describe(item) };
      }
    },
  };
}

/** The states of the skills that a command takes; others take each. */
const skillStates: Readonly<Record<string, readonly SkillStatus[]>> = {
  "skills approve": ["suggested"],
  "skills publish": ["active"],
  "skills remove": ["active", "suggested"],
  "skills restore": ["archived"],
};

async function* only<Item>(items: AsyncIterable<Item>, isMeant: (item: Item) => boolean) {
  for await (const item of items) if (isMeant(item)) yield item;
}

const dataSource = offer(nouns.dataSources);

/** Versions of what the argument before names. */
const version: Offer = {
  one: "version",
  read: async function* (context, options, { words, given: [reference = ""] }) {
    const connection = await nouns.agents.open(context, options);
    const versions = words.startsWith("agents")
      ? readListed(connection, "agents.listVersions", {
          agentId: (await nouns.findAgent(connection, reference)).id,
        })
      : readListed(connection, "sandboxFunctions.listVersions", { functionId: reference });
    for await (const { version: number, createdAt } of versions) {
      yield { id: String(number), name: String(number), description: shortTime(createdAt) };
    }
  },
};

/** What can be chosen by its argument or option: a name that is not here is typed. */
export const offers: ReadonlyMap<string, Offer> = new Map(
  Object.entries({
    agent: offer(nouns.agents, {
      read: (connection, { words }) =>
        words === "agents restore"
          ? readListed(connection, "agents.listAll", { status: "archived" })
          : nouns.agents.read(connection),
    }),
    alert: offer(nouns.alerts),
    budget: offer(nouns.budgets),
    "budget-of-the-server": offer(nouns.serverBudgets),
    call: offer(nouns.waitingCalls, {
      read: (connection, { words }) =>
        only(
          nouns.waitingCalls.read(connection),
          ({ status }) => words === "approvals get" || status === "blocked_validation_required",
        ),
      describe: ({ actionId, metadata }) => `${metadata.agentName}, ${actionId}`,
    }),
    conversation: offer(nouns.conversations, {
      nameOf: ({ title }) => title ?? "",
      describe: ({ sId, created }) => `${shortTime(created)}, ${sId}`,
    }),
    credential: offer(nouns.credentials),
    "data-source": dataSource,
    file: offer(nouns.files),
    function: offer(nouns.functions, {
      read: (connection, { words }) =>
        nouns.readFunctions(connection, words === "functions restore" ? "archived" : undefined),
    }),
    key: offer(nouns.keys, { read: (connection) => nouns.readKeys(connection) }),
    member: offer(nouns.members),
    "operator-key": offer(nouns.operatorKeys, {
      read: (connection) =>
        only(nouns.operatorKeys.read(connection), ({ revokedAt }) => revokedAt === null),
    }),
    run: offer(nouns.runs, {
      nameOf: ({ kind, agent, function: called, tool }) =>
        `${kind} ${agent?.name ?? called?.slug ?? tool?.name ?? ""}`,
      describe: ({ id, status, createdAt }) => `${status}, ${shortTime(createdAt)}, ${id}`,
    }),
    schedule: offer(nouns.schedules),
    skill: offer(nouns.skills, {
      read: (connection, { words }) =>
        nouns.readEach(connection, skillStates[words] ?? SkillStatus.options),
      describe: ({ agentFacingDescription }) => agentFacingDescription,
    }),
    // As `--source` of `knowledge`.
    source: dataSource,
    space: offer(nouns.spaces),
    tool: offer(nouns.tools),
    "trace-destination": offer(nouns.traceDestinations),
    trigger: offer(nouns.triggers),
    version,
    "web-source": offer(nouns.webSources),
    webhook: offer(nouns.webhooks),
    workspace: offer(nouns.workspaces),
  }),
);
