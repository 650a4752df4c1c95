import { agents, statement } from "@parley/db";
import { aliasedTable, sql } from "drizzle-orm";
import type { AgentServices } from "../agents/agent-versions.ts";
import { type BriefAgent, briefColumns } from "../agents/agents.ts";
import type { Process } from "../context.ts";
import { fromColumns, selectAs } from "../data-access/row-json.ts";
import type { ActionRow, ConversationRow, MessageRow } from "../data-access/rows.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { largeSubjects } from "../runs/large-subjects.ts";
import { rowBytesOf } from "../storage/size-statements.ts";
import { type MemoryMount, readMounts } from "../memories/mounts.ts";
import { readClientServers, readRemoteServers } from "../tools/called-servers.ts";
import { summaryOfTurn, type TurnSummary } from "../summaries/summary-of-turn.ts";
import { type Billing, billingOf } from "../usage/turn-billing.ts";
import { bytesOfCalls, type CalledAnswer, calledAnswer } from "./earlier-calls.ts";
import { MAX_HISTORY_BYTES, modelBytes } from "./history-bytes.ts";
import { type HistoryAuthor, historyAuthor } from "./history-authors.ts";
import { readRootSid, readTeam, type Teammate } from "./turn-team.ts";
import { readPublished } from "./read-published.ts";
import { functionsOfTurn, type TurnFunction } from "./turn-functions.ts";
import { distinctSkills, skillsOfTurn, type TurnSkill } from "./turn-skills.ts";
import {
  knownServers,
  serversOfTurn,
  toTurnTools,
  type TurnServer,
  type TurnTool,
} from "./turn-tools.ts";

/** Positions up to the message that is answered that the prompt may include. */
const MAX_HISTORY = 500;

/** A message of a turn's history. */
export interface HistoryRow extends Pick<
  MessageRow,
  "sid" | "rank" | "type" | "content" | "fragment" | "parentMessageId" | "promptValues"
> {
  /** The calls of an answer by the agent that answers now; null if it has none. */
  readonly called: CalledAnswer | null;
  readonly author: HistoryAuthor | null;
}

/** What an agent turn starts from. */
export interface TurnInput {
  readonly conversation: Pick<
    ConversationRow,
    "id" | "sid" | "title" | "visibility" | "spaceId" | "ownerId" | "apiKeyId" | "rootId" | "depth"
  >;
  readonly message: MessageRow;
  readonly agent: BriefAgent;
  /** What the conversation said before its history, if that was summarised. */
  readonly summary: TurnSummary | null;
  /** Messages before the answer, by position, each in its newest version that has ended. */
  readonly history: readonly HistoryRow[];
  /** Tool calls of finished steps; those of the last one may be open. */
  readonly actions: readonly ActionRow[];
  /** Active skills: the agent's own in their order, then those that every agent has, by name. */
  readonly skills: readonly TurnSkill[];
  /** Active functions that the agent may call, in their order. */
  readonly functions: readonly TurnFunction[];
  /** Remote servers whose tools the agent may call, in their order. */
  readonly servers: readonly TurnServer[];
  readonly billing: Billing;
}

/** The input of an attempt, with all texts of its agent. */
export interface Turn extends TurnInput {
  /** Payloads of the events that earlier attempts published. */
  readonly published: readonly string[];
  /** The tools of the servers, under the names that the model calls. */
  readonly tools: readonly TurnTool[];
  /** The active agents of its agent's team, in their order. */
  readonly team: readonly Teammate[];
  /** Public id of the conversation whose budgets apply: of a task, the one that it comes from. */
  readonly rootSid: string;
  /** The scopes of memory that its agent has for its asker. */
  readonly mounts: readonly MemoryMount[];
}

/** The rows of a turn's input, as JSON of their columns. */
export interface TurnColumns {
  readonly conversation: object;
  readonly message: object;
  readonly agent: object;
  readonly summary: TurnSummary | null;
  readonly history: object[] | null;
  readonly actions: object[] | null;
  readonly skills: TurnSkill[] | null;
  readonly functions: TurnFunction[] | null;
  readonly servers: TurnServer[] | null;
  readonly billing: Billing;
}

/** The agent of `turnColumns`. */
const briefAgent = selectAs(briefColumns(aliasedTable(agents, "a")));

/** The `TurnColumns` of the turn of a run `claimed`. */
const turnColumns = sql`
  select json_build_object(
    'conversation', to_json(c),
    'message', to_json(m),
    'agent', (select to_json(brief) from (select ${briefAgent}) brief),
    'summary', summary.given,
    'history', (
      select json_agg(
        json_build_object('sid', sid, 'rank', rank, 'type', type, 'content', content,
          'fragment', fragment, 'author', ${historyAuthor}, 'called', case when call_bytes > 0 then ${calledAnswer("recent")} end,
          'prompt_values', prompt_values,
          'parent_message_id', case when prompt_values is not null then parent_message_id end)
        order by rank
      )
      from (
        select called.*, sum(bytes + call_bytes) over newest as bytes_so_far,
          row_number() over newest as position
        from (
          select current.*, ${bytesOfCalls("current")} as call_bytes from (
          -- Long texts are read only where they are given: here, they are references.
          select distinct on (h.rank) h.rank, h.sid, h.id, h.type, h.content, h.fragment, h.agent_id,
            h.raw_contents, h.steps, h.finish_reason, h.model_selection, h.parent_message_id,
            h.user_id, h.context,
            -- Those of other agents are not of this one's instructions.
            case when h.prompt_values is not null and exists (
              select from agents other
              where other.id = h.agent_id and other.workspace_id = a.workspace_id and other.sid = a.sid
            ) then h.prompt_values end as prompt_values,
            octet_length(h.content) as bytes
          from messages h
          where h.conversation_id = m.conversation_id
            -- Up to the message that is answered: agents that are asked together do not see each
            -- other's answers, and the answer to an edited message may stand far below it.
            and h.rank <= asked.rank and h.rank > asked.rank - ${sql.raw(String(MAX_HISTORY))}
            and h.rank > coalesce(summary.to_rank, -1)
            and h.status is distinct from 'created' and h.visibility = 'visible'
          order by h.rank desc, h.version desc
          ) as current
          -- So the look-up is made once for each message.
          offset 0
        ) as called
        window newest as (order by rank desc)
      ) recent
      -- The message that is answered is always included.
      where bytes_so_far <= coalesce(
          (
            select model.bytes from (values ${modelBytes}) as model(provider_id, model_id, bytes)
            where model.provider_id = coalesce(m.model_selection ->> 'providerId', a.provider_id)
              and model.model_id = coalesce(m.model_selection ->> 'modelId', a.model_id)
          ), ${sql.raw(String(MAX_HISTORY_BYTES))})
        or position = 1
    ),
    'actions', (
      select json_agg(to_json(x) order by x.step, x.position) from actions x
      where x.message_id = m.id
    ),
    'skills', (${skillsOfTurn}),
    'functions', (${functionsOfTurn}),
    'servers', (${serversOfTurn}),
    'billing', (${billingOf(sql`m.workspace_id`)})
  )
  from messages m
  join messages asked on asked.sid = m.parent_message_id
  join conversations c on c.id = m.conversation_id
  join agents a on a.id = m.agent_id
  left join lateral (${summaryOfTurn}) summary on true
  where m.sid = claimed.log_id`;

/** Bytes of a turn's input that a claim gives; a larger one is loaded by the turn itself. */
const MAX_CLAIMED_BYTES = 64 * 1024;
/** Of a message beside its text: many short ones take as long as a long one. */
const MESSAGE_BYTES = 512;
/** Stored bytes of structured columns, which may be compressed. */
const MAX_CLAIMED_STORED_BYTES = 8 * 1024;
/** Of a call. The size of a whole row, in place of its columns', would read all of its values. */
const CALL_COLUMNS = ["params", "output", "generated_files", "citations", "decided"];

// Sizes are known without reading long values. A claim may have a hundred turns, and all others wait for it.
/** The subquery of a claim that gives the `TurnColumns` of a claimed turn, unless they are large. */
export const claimedTurnColumns = sql`
  select input from (
    ${turnColumns}
      -- So far down, the messages are too many, whatever they hold: none is read.
      and case when asked.rank >= ${sql.raw(String(MAX_CLAIMED_BYTES / MESSAGE_BYTES))} then false else (
        select coalesce(sum(
          octet_length(h.content) + ${sql.raw(String(MESSAGE_BYTES))} + ${bytesOfCalls("h")}
        ), 0)
        from messages h
        where h.conversation_id = m.conversation_id and h.rank <= asked.rank
      ) <= ${sql.raw(String(MAX_CLAIMED_BYTES))} end
      and (
        select coalesce(sum(${rowBytesOf("x", CALL_COLUMNS)}), 0)
        from actions x where x.message_id = m.id
      ) + (
        select coalesce(sum(pg_column_size(v.input_schema)), 0)
        from agent_functions own
        join sandbox_functions f on f.id = own.function_id
        join sandbox_function_versions v on v.function_id = f.id and v.version = f.version
        where own.agent_id = a.id
      ) + coalesce(pg_column_size(m.answer_settings), 0) <= ${sql.raw(String(MAX_CLAIMED_STORED_BYTES))}
  ) turn (input)
  where octet_length(input::text) <= ${sql.raw(String(MAX_CLAIMED_BYTES))}`;

/** A row that a claim with `claimedTurnColumns` returns. */
export type TurnRun = ClaimedRun<TurnColumns>;

/** A claimed run with its turn, from the row that the claim returned. */
export function toTurnRun(run: TurnRun): ClaimedRun<TurnInput> {
  return { ...run, subject: run.subject && toTurnInput(run.subject) };
}

function toTurnInput(columns: TurnColumns): TurnInput {
  return {
    conversation: fromColumns<ConversationRow>(columns.conversation),
    message: fromColumns(columns.message),
    agent: fromColumns(columns.agent),
    summary: columns.summary,
    history: (columns.history ?? []).map((row) => fromColumns<HistoryRow>(row)),
    actions: (columns.actions ?? []).map((row) => fromColumns<ActionRow>(row)),
    skills: distinctSkills(columns.skills),
    functions: columns.functions ?? [],
    servers: columns.servers ?? [],
    billing: columns.billing,
  };
}

/**
 * Loads the turn of a claimed run; undefined if it is deleted. May wait for a client that has just
 * registered a server.
 */
export async function loadTurn(
  core: Process & AgentServices,
  run: ClaimedRun,
  signal: AbortSignal = new AbortController().signal,
): Promise<Turn | undefined> {
  // A claim of turns gives it, unless it is large. What an earlier attempt published is only in its log.
  const turn = (run.subject as TurnInput | null) ?? (await loadLargeInput(core, run, signal));
  if (turn === undefined) return undefined;
  const { message } = turn;
  const servers = knownServers(turn.servers);
  const { workspaceId } = run;
  const ids = message.clientServerIds ?? [];
  const toolIds = servers.map(({ toolId }) => toolId);
  const [agent, published, remote, ofClients, team, rootSid, mounts] = await Promise.all([
    withTexts(core, turn.agent),
    run.attempt > 1 ? readPublished(core, run) : [],
    readRemoteServers(core, { workspaceId, toolIds }),
    readClientServers(core, { workspaceId, ids }, signal),
    readTeam(core.database.db, turn.agent),
    readRootSid(core.database.db, turn.conversation),
    readMounts(core.database.db, turn),
  ]);
  if (agent === undefined) return undefined;
  const tools = toTurnTools([...remote, ...ofClients], servers);
  return { ...turn, agent, published, rootSid, tools, team, mounts };
}

/** The agent with its long texts; undefined if it is deleted. */
async function withTexts(
  { agentVersions }: AgentServices,
  agent: BriefAgent,
): Promise<BriefAgent | undefined> {
  if (!agent.hasLongTexts) return agent;
  const texts = await agentVersions.getTexts(agent.id);
  return texts && { ...agent, ...texts };
}

const loadInput = statement<{ logId: string }, { input: TurnColumns }>(
  "load_turn_input",
  sql`select input from (select ${sql.placeholder("logId")}::text as log_id) claimed, lateral (
    ${turnColumns}
  ) turn (input)`,
);

/** Reads an input that no claim gave; workspaces take turns. Undefined if it is deleted. */
async function loadLargeInput(
  core: Process,
  { workspaceId, logId }: ClaimedRun,
  signal: AbortSignal,
): Promise<TurnInput | undefined> {
  const leave = await largeSubjects.enter(workspaceId, signal);
  try {
    const [row] = await loadInput.execute(core.database.db, { logId });
    return row && toTurnInput(row.input);
  } finally {
    leave();
  }
}
