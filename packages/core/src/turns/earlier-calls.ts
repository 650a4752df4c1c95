/**
 * The calls of earlier answers in a turn's history. Only an answer of the agent that answers now has them: the
 * tools of others are not offered to it, and what they gave may be none of its business.
 */
import type { ModelPair } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import { openStatuses } from "../calls/call-states.ts";

/** Characters of a result, or of parameters, that later turns are given whole. */
export const MAX_EARLIER_CHARACTERS = 10_000;
/** Of one that is longer, its beginning and its end. */
const HEAD_CHARACTERS = 6000;
const TAIL_CHARACTERS = 2000;
/** Of a call beside its texts. */
const CALL_BYTES = 512;

/** A text of which only the beginning and the end were read. */
export interface CutText {
  readonly head: string;
  readonly tail: string;
  /** Of the whole text. */
  readonly characters: number;
}

/** A call of an earlier answer. */
export interface EarlierCall {
  readonly id: string;
  readonly name: string;
  readonly step: number;
  readonly isOpen: boolean;
  /** Null if they are long; then `cutParams` has them. */
  readonly params: Record<string, unknown> | null;
  readonly cutParams: CutText | null;
  /** MCP content; null if it is long, or there is none. */
  readonly output: readonly unknown[] | null;
  readonly cutOutput: CutText | null;
  /** Files that it has made and its output refers to; null for none. */
  readonly files: readonly EarlierFile[] | null;
}

/** A file that a call of an earlier answer has made. */
interface EarlierFile {
  readonly fileId: string;
  readonly title: string;
  readonly contentType: string;
}

/** What an earlier answer holds beside its text, if it has called anything. */
export interface CalledAnswer {
  /** By step and position. */
  readonly calls: readonly EarlierCall[];
  /** The texts of its steps. */
  readonly contents: readonly { readonly step: number; readonly content: string }[] | null;
  /** The steps whose providers want something of them back, and the models that answered. */
  readonly replays:
    | readonly { readonly step: number; readonly replay: unknown; readonly model: ModelPair }[]
    | null;
}

const number = (value: number): SQL => sql.raw(String(value));
const maxCharacters = number(MAX_EARLIER_CHARACTERS);

// A compressed value is not read to learn how long it is: it counts as if it were as long as is given of one.
const bytesOfValue = (column: string): SQL =>
  sql.raw(`case when x.${column} is null then 0
    when pg_column_compression(x.${column}) is null
    then least(pg_column_size(x.${column}), ${MAX_EARLIER_CHARACTERS})
    else ${MAX_EARLIER_CHARACTERS} end`);

/** Bytes of a call `x` as it is given, estimated without a look into long values. */
const bytesOfCall = sql`${number(CALL_BYTES)} + ${bytesOfValue("params")} + ${bytesOfValue("output")}
  + ${bytesOfValue("generated_files")}`;

/**
 * Whether the message `h` is an answer of the agent `a`, in any version of it. What decides quickly comes first,
 * and PostgreSQL keeps the order of the whens.
 */
const isOwnAnswer = (h: SQL): SQL => sql`case
  when ${h}.type <> 'agent_message' then false
  when ${h}.agent_id = a.id then true
  else a.sid = (
    select other.sid from agents other
    where other.id = ${h}.agent_id and other.workspace_id = a.workspace_id
  ) end`;

/**
 * Whether the message `h` is no answer, or one without calls: whoever calls has a second step, or no such reason to
 * stop. Most answers need no look-up so; those of before reasons were kept do.
 */
const hasNoCalls = (h: SQL): SQL => sql`(
  ${h}.type <> 'agent_message' or (
    ${h}.finish_reason in ('stop', 'length') and pg_column_size(${h}.steps) < 1000
    and jsonb_array_length(${h}.steps) = 1
  ))`;

/** Bytes of what the message `h` holds of calls, with its texts once more: 0 without any. */
export const bytesOfCalls = (alias: string): SQL => {
  const h = sql.raw(alias);
  return sql`case when ${hasNoCalls(h)} then 0 else coalesce((
    select sum(${bytesOfCall}) + octet_length(${h}.content) + coalesce(pg_column_size(${h}.steps), 0)
    from actions x where x.message_id = ${h}.id having count(*) > 0 and ${isOwnAnswer(h)}
  ), 0) end`;
};

/** What is given of a long text: its beginning and end. */
const cut = (text: SQL): SQL => sql`(
  select json_build_object(
    'head', left(whole, case when length(whole) <= ${maxCharacters} then ${maxCharacters} else ${number(HEAD_CHARACTERS)} end),
    'tail', case when length(whole) <= ${maxCharacters} then '' else right(whole, ${number(TAIL_CHARACTERS)}) end,
    'characters', length(whole)
  )
  from (select ${text} as whole) texts)`;

// As `textOfOutput` puts them together.
const textOfOutput = sql`(
  select string_agg(
    case when jsonb_typeof(part -> 'text') = 'string' then part ->> 'text'
      when jsonb_typeof(part -> 'resource' -> 'text') = 'string' then part -> 'resource' ->> 'text'
      else part::text end,
    E'\\n' order by place)
  from jsonb_array_elements(x.output) with ordinality parts (part, place))`;

const referredFiles = sql`(
  select json_agg(json_build_object('fileId', file ->> 'fileId', 'title', file ->> 'title',
    'contentType', file ->> 'contentType') order by place)
  from jsonb_array_elements(x.generated_files) with ordinality made (file, place)
  where exists (
    select from jsonb_array_elements(x.output) part where part ->> 'fileId' = file ->> 'fileId'
  ))`;

const isLong = (column: SQL): SQL => sql`octet_length(${column}::text) > ${maxCharacters}`;
const open = sql.raw(openStatuses.map((status) => `'${status}'`).join(", "));

/** The `CalledAnswer` of the message `h`, which has calls. */
export const calledAnswer = (alias: string): SQL => {
  const h = sql.raw(alias);
  return sql`(
    select json_build_object(
      'calls', json_agg(json_build_object(
        'id', x.function_call_id, 'name', x.function_call_name, 'step', x.step,
        'isOpen', x.output is null or x.status in (${open}),
        'params', case when not ${isLong(sql`x.params`)} then x.params end,
        'cutParams', case when ${isLong(sql`x.params`)} then ${cut(sql`x.params::text`)} end,
        'output', case when not ${isLong(sql`x.output`)} then x.output end,
        'cutOutput', case when ${isLong(sql`x.output`)} then ${cut(textOfOutput)} end,
        'files', case when x.generated_files is not null then ${referredFiles} end
      ) order by x.step, x.position),
      'contents', ${h}.raw_contents,
      'replays', (
        select json_agg(json_build_object(
          'step', one -> 'step', 'replay', one -> 'replay',
          'model', coalesce(one -> 'model', ${h}.model_selection, (
            select jsonb_build_object('providerId', used.provider_id, 'modelId', used.model_id)
            from agents used where used.id = ${h}.agent_id
          ))
        ))
        from jsonb_array_elements(${h}.steps) one where one ? 'replay'
      )
    )
    from actions x where x.message_id = ${h}.id)`;
};
