import { type Queryable, statement, type StoredFragment } from "@parley/db";
import { sql } from "drizzle-orm";
import type { PlannedMessage } from "./plan-range.ts";

/** Positions that one summary may replace. */
const MAX_POSITIONS = 5000;
/** Messages that are read at once. */
const MAX_READ = 500;
/** Bytes of a message in a transcript beside its text. */
const LINE_BYTES = 150;
/** Characters of a call's parameters, and of its result, that are read. */
const PARAMS_CHARACTERS = 1000;
const OUTPUT_CHARACTERS = 4000;

const number = (value: number) => sql.raw(String(value));
const given = (name: string, type = "int") => sql`${sql.placeholder(name)}::${sql.raw(type)}`;

// A hidden message is given to no model, and of an answer that has not ended an earlier version.
const isGiven = sql`h.status is distinct from 'created' and h.visibility = 'visible'`;
const callBytes = number(PARAMS_CHARACTERS + OUTPUT_CHARACTERS);

/** A file that a message attaches, or that one of its calls has made, and that is not text. */
export interface PlannedFile {
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly isOfCall: boolean;
  /** Bytes of the text that was extracted from it; null if none was. */
  readonly textBytes: number | null;
}

type PlannedRow = Omit<PlannedMessage, "fileBytes"> & {
  readonly files: readonly PlannedFile[] | null;
};

const planStatement = statement<{ conversationId: number; after: number }, PlannedRow>(
  "plan_summary",
  sql`
  select distinct on (h.rank) h.rank, h.type, octet_length(h.content) + coalesce((
    select sum(least(${callBytes}, pg_column_size(x.params) + coalesce(pg_column_size(x.output), 0)))::int
    from actions x where x.message_id = h.id
  ), 0) as bytes, (
    select json_agg(json_build_object('contentType', f.content_type, 'sizeBytes', f.size_bytes,
      'isOfCall', named.is_of_call, 'textBytes', (
        select max(octet_length(t.text)) from file_texts t
        where t.workspace_id = f.workspace_id and t.sha256 = f.sha256
      )))
    from (
      select h.fragment ->> 'fileId' as sid, false as is_of_call
      union
      select made ->> 'fileId', true
      from actions x cross join jsonb_array_elements(x.generated_files) made where x.message_id = h.id
    ) named
    join files f on f.sid = named.sid
    where f.workspace_id = h.workspace_id and f.status = 'ready' and f.text is null
  ) as files
  from messages h
  where h.conversation_id = ${given("conversationId", "bigint")} and h.rank > ${given("after")} and ${isGiven}
  order by h.rank, h.version desc limit ${number(MAX_POSITIONS)}`,
);

const openStatement = statement<{ conversationId: number }, { rank: number | null }>(
  "find_open_answer",
  sql`
  select min(least(m.rank, asked.rank)) as rank
  from messages m left join messages asked on asked.sid = m.parent_message_id
  where m.conversation_id = ${given("conversationId", "bigint")} and m.status = 'created'`,
);

/** The messages after a position with their files, without their texts, and the first position of an open answer. */
export async function readPlanned(
  db: Queryable,
  { conversationId, after }: { readonly conversationId: number; readonly after: number },
): Promise<{ rows: PlannedRow[]; openRank: number | null }> {
  const rows = await planStatement.execute(db, { conversationId, after });
  const [open] = await openStatement.execute(db, { conversationId });
  return { rows, openRank: open?.rank ?? null };
}

/** A message that is summarised. */
export interface TranscriptMessage {
  readonly rank: number;
  readonly type: string;
  readonly content: string;
  readonly fragment: StoredFragment | null;
  /** The name of the user, or of the agent. */
  readonly author: string | null;
  /** Its calls, cut if they are long. */
  readonly calls: readonly { name: string; params: string; output: string | null }[] | null;
}

type Part = {
  readonly conversationId: number;
  readonly fromRank: number;
  readonly toRank: number;
  readonly maxBytes: number;
};

const readStatement = statement<Part, TranscriptMessage>(
  "read_transcript",
  sql`
  select r.rank, r.type, r.content, r.fragment,
    coalesce(r.context ->> 'fullName', r.context ->> 'username', u.full_name, a.name) as author,
    (
      select json_agg(json_build_object('name', x.function_call_name,
        'params', left(x.params::text, ${number(PARAMS_CHARACTERS)}),
        'output', left(x.output::text, ${number(OUTPUT_CHARACTERS)})) order by x.step, x.position)
      from actions x where x.message_id = r.id
    ) as calls
  from (
    select current.*, sum(bytes) over (order by rank) as so_far, row_number() over (order by rank) as place
    from (
      select distinct on (h.rank) h.rank, h.id, h.type, h.content, h.fragment, h.context, h.user_id, h.agent_id,
        octet_length(h.content) + ${number(LINE_BYTES)} + ${callBytes} * (select count(*) from actions x where x.message_id = h.id) as bytes
      from messages h
      where h.conversation_id = ${given("conversationId", "bigint")}
        and h.rank between ${given("fromRank")} and ${given("toRank")} and ${isGiven}
      order by h.rank, h.version desc limit ${number(MAX_READ)}
    ) current
  ) r
  left join users u on u.id = r.user_id
  left join agents a on a.id = r.agent_id
  where r.so_far <= ${given("maxBytes")} or r.place = 1
  order by r.rank`,
);

/** The next messages of a range, about `maxBytes` of them; the first one whole, however long it is. */
export async function readTranscript(db: Queryable, part: Part): Promise<TranscriptMessage[]> {
  return readStatement.execute(db, part);
}
