/** Parts and vectors of a data source by SQL: a million documents are uploaded in hours. Their words are generated. */
import type pg from "pg";

const PARTS_OF_DOCUMENT = 50;
const PARTS_AT_ONCE = 50_000;
const WORDS_OF_PART = 8;
/** Words that there are, of which the first are frequent. */
export const VOCABULARY = 50_000;

/** The word with a number, in SQL: eight letters. */
const wordOf = (number: string): string =>
  `translate(substr(md5((${number})::text), 1, 8), '0123456789', 'ghijklmnop')`;

/** The word with a number. */
export async function readWord(client: pg.Client, number: number): Promise<string> {
  const { rows } = await client.query<{ word: string }>(`select ${wordOf("$1::int")} as word`, [
    number,
  ]);
  return rows[0]?.word ?? "";
}

/** Writes documents with so many parts in all into a data source; the index of their words is built at the end. */
export async function writeParts(
  client: pg.Client,
  { dataSourceId, parts }: { readonly dataSourceId: string; readonly parts: number },
  print: (text: string) => void,
): Promise<void> {
  const { rows } = await client.query<{ definition: string }>(
    "select pg_get_indexdef('document_parts_by_word'::regclass) as definition",
  );
  await client.query("drop index document_parts_by_word");
  const view = "(select id from data_source_views where data_source_sid = $1)";
  await client.query(
    `insert into data_source_nodes (view_id, node_id, node_type, title, content_type, content, content_hash, parents,
      timestamp, created_at, updated_at, divided_at)
    select ${view}, 'd' || nth, 'document', 'Document ' || nth, 'text/plain', '', '', array['d' || nth], 1, 1, 1, 1
    from generate_series(0, $2::int - 1) nth`,
    [dataSourceId, Math.ceil(parts / PARTS_OF_DOCUMENT)],
  );
  for (let from = 0; from < parts; from += PARTS_AT_ONCE) {
    // oxlint-disable-next-line no-await-in-loop -- statements of bounded size
    await client.query(
      `with view as materialized (select ${view} as id),
      part as (
        select nth, array(
          select ${wordOf(`floor(power(random(), 3) * ${VOCABULARY})::int`)} from generate_series(1, ${WORDS_OF_PART}) where nth >= 0
        ) as words from generate_series($2::int, $3::int - 1) nth
      )
      insert into document_parts (view_id, node_id, part_id, position, start, "end", headings, content, language, words)
      select view.id, 'd' || nth / ${PARTS_OF_DOCUMENT}, 'p' || nth, nth % ${PARTS_OF_DOCUMENT}, 0, 71, '{}',
        array_to_string(part.words, ' '), 'simple', to_tsvector('simple', array_to_string(part.words, ' ')) || array_to_tsvector(array(
          select '~' || substr(word, at, 3) from unnest(part.words) word, generate_series(1, 6) at
          union select 'view ' || view.id))
      from part, view`,
      [dataSourceId, from, Math.min(from + PARTS_AT_ONCE, parts)],
    );
    print(`${from + PARTS_AT_ONCE} parts\n`);
  }
  await client.query(rows[0]?.definition ?? "");
}

/** Gives each part of a data source a vector of random directions, as a set of its workspace that is searched. */
export async function writeVectors(
  client: pg.Client,
  { dataSourceId, dimensions }: { readonly dataSourceId: string; readonly dimensions: number },
): Promise<void> {
  // A hash has 64 bytes.
  await client.query(
    `with made as (
      insert into embedding_sets (workspace_id, provider_id, model_id, dimensions, status, created_at)
      select workspace_id, 'openai_compatible', 'fake', $2, 'current', 0 from data_source_views where data_source_sid = $1
      returning id, workspace_id
    ),
    chosen as (
      update workspaces w set embedding = '{"providerId": "openai_compatible", "modelId": "fake", "dimensions": null}'
      from made where w.id = made.workspace_id
    )
    insert into part_vectors (view_id, node_id, part_id, set_id, vector, signs)
    select p.view_id, p.node_id, p.part_id, made.id,
      (select string_agg(sha512((p.part_id || ' ' || nth)::bytea), '' order by nth) from generate_series(1, $2 / 64) nth),
      (select string_agg(('x' || encode(sha512((p.part_id || nth)::bytea), 'hex'))::bit(512)::text, '' order by nth)
        from generate_series(1, $2 / 512) nth)::varbit
    from made, document_parts p
    where p.view_id = (select id from data_source_views where data_source_sid = $1)`,
    [dataSourceId, dimensions],
  );
}
