import {
  getTableColumns,
  type Placeholder,
  type SQL,
  sql,
  type SQLWrapper,
  type Table,
} from "drizzle-orm";

const columnOf = new Map<string, string>();
const keyOf = new Map<string, string>();

/** The snake_case name of the column that Drizzle gives as `key`. */
export function columnName(key: string): string {
  return columnOf.getOrInsertComputed(key, () =>
    key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
}

/** The columns of a hand-written select, each under its key: the rows of the driver are then complete. */
export function selectAs(columns: Readonly<Record<string, SQLWrapper>>): SQL {
  const named = Object.entries(columns).map(
    ([key, column]) => sql`${column} as ${sql.identifier(key)}`,
  );
  return sql.join(named, sql`, `);
}

/** All columns of a table under the keys that Drizzle gives them, for a hand-written select. */
export function allColumns(table: Table): SQL {
  return selectAs(getTableColumns(table));
}

/**
 * A row for `json_populate_recordset`, under the names of its columns. Leaves out what is null, which
 * PostgreSQL takes what is missing for: most columns of a message are.
 */
export function toColumns(row: object): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(row)) {
    if (value !== null) columns[columnName(key)] = value;
  }
  return columns;
}

/** A row that PostgreSQL wrote as JSON, with the keys that Drizzle gives it. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- stands for a cast
export function fromColumns<Row>(columns: object): Row {
  const row: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(columns)) {
    const key = keyOf.getOrInsertComputed(column, () =>
      column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    );
    row[key] = value;
  }
  // `Row` is the inferred type of the table that the JSON was made from.
  return row as Row;
}

/** The subquery that gives the strings of a JSON array: one parameter, however many they are. */
export function jsonValues(array: string | Placeholder): SQL {
  return sql`(select value from json_array_elements_text(${array}::json))`;
}
