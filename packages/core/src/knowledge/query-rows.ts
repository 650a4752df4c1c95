/** Queries of a table's rows: every value of a query is a parameter, and columns are named by their places. */
import { dataSourceRows, type Queryable, type StoredTableColumn } from "@parley/db";
import {
  MAX_SHOWN_COLUMNS,
  type TableAggregate,
  type TableFilter,
  type TableQuery,
} from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import { selectRows } from "../data-access/select-rows.ts";
import { isOf, type StoredTable } from "./stored-tables.ts";
import { type Cell, readCell, unfit, writeTime } from "./table-cells.ts";

const ROWS = 50;
/** Characters of a cell that an answer shows. */
const CELL_CHARACTERS = 1000;
/** Characters of the names of columns in a message. */
const NAMES_CHARACTERS = 2000;

type ColumnType = StoredTableColumn["type"];

/** The rows that a query gives. */
export interface QueriedRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Rows, or groups, without limit and offset. */
  readonly total: number;
}

/** A query cannot be answered: why, for who asks. */
class WrongQuery extends Error {}

/** A column of the table, as an expression of its row. */
interface NamedColumn extends StoredTableColumn {
  readonly value: SQL;
}

/** A column of the answer. */
interface ShownColumn {
  readonly label: string;
  readonly type: ColumnType;
  readonly value: SQL;
}

/** Answers a query of a table, or says what is wrong with it. */
export async function queryRows(
  db: Queryable,
  table: StoredTable,
  query: TableQuery,
): Promise<QueriedRows | { readonly refused: string }> {
  try {
    return await readRows(db, table, query);
  } catch (error) {
    if (error instanceof WrongQuery) return { refused: error.message };
    throw error;
  }
}

async function readRows(
  db: Queryable,
  table: StoredTable,
  query: TableQuery,
): Promise<QueriedRows> {
  const { filters = [], groupBy = [], aggregates = [], limit = ROWS, offset = 0 } = query;
  const columnOf = (name: string, path: string) => findColumn(table, name, path);
  const conditions = filters.map((filter, index) =>
    conditionOf(table, filter, `filters[${index}]`),
  );
  const groups = groupBy.map((name, index) => shownAs(columnOf(name, `groupBy[${index}]`)));
  const isGrouped = groups.length + aggregates.length > 0;
  const names = query.columns ?? table.columns.slice(0, MAX_SHOWN_COLUMNS).map(({ name }) => name);
  const shown = isGrouped
    ? [
        ...groups,
        ...aggregates.map((one, index) => aggregateOf(table, one, `aggregates[${index}]`)),
      ]
    : names.map((name, index) => shownAs(columnOf(name, `columns[${index}]`)));
  const orders = (query.orderBy ?? []).map(({ by, descending }, index) => {
    const ordered = shown.find(({ label }) => label === by)?.value;
    if (ordered === undefined && isGrouped) {
      const labels = shown.map(({ label }) => label).join(", ");
      throw new WrongQuery(
        `orderBy[${index}].by: must be one of ${labels.slice(0, NAMES_CHARACTERS)}`,
      );
    }
    const value = ordered ?? columnOf(by, `orderBy[${index}].by`).value;
    return sql`${value} ${sql.raw(descending === true ? "desc" : "asc")} nulls last`;
  });
  const last = isGrouped ? groups.map(({ value }) => value) : [sql`${dataSourceRows.position}`];
  const order = [...orders, ...last];
  const rows = await selectRows<{ cells: Cell[]; total: number }>(
    db,
    sql`select json_build_array(${sql.join(shown.map(writtenOf), sql`, `)}) as cells,
      (count(*) over ())::int as total
    from ${dataSourceRows}
    where ${sql.join([isOf(table) ?? sql`true`, ...conditions], sql` and `)}
    ${groups.length === 0 ? sql`` : sql`group by ${sql.join(last, sql`, `)}`}
    ${order.length === 0 ? sql`` : sql`order by ${sql.join(order, sql`, `)}`}
    limit ${limit} offset ${offset}`,
  );
  return {
    columns: shown.map(({ label }) => label),
    rows: rows.map(({ cells }) => cells.map((cell, place) => readBack(shown[place]!.type, cell))),
    total: rows[0]?.total ?? 0,
  };
}

/** How values of a type are compared and computed with. */
const types: Readonly<Record<ColumnType, "text" | "numeric" | "boolean">> = {
  text: "text",
  int: "numeric",
  float: "numeric",
  bool: "boolean",
  datetime: "numeric",
};

function findColumn({ columns }: StoredTable, name: string, path: string): NamedColumn {
  const place = columns.findIndex((column) => column.name === name);
  const column = columns[place];
  if (column === undefined) {
    const names = columns.map((one) => one.name).join(", ");
    throw new WrongQuery(
      `${path}: the table has no column ${JSON.stringify(name)}, but ${names.slice(0, NAMES_CHARACTERS) || "none"}`,
    );
  }
  // Both are of ours: as parameters, the expressions of a group would not be those of its columns.
  const cell = sql.raw(`("data_source_rows"."cells" ->> ${place})::${types[column.type]}`);
  return { ...column, value: sql`(${cell})` };
}

const shownAs = ({ name: label, type, value }: NamedColumn): ShownColumn => ({
  label,
  type,
  value,
});

/** A column of the answer as JSON has it. */
function writtenOf({ type, value }: ShownColumn): SQL {
  if (type === "text") return sql`left(${value}, ${sql.raw(String(CELL_CHARACTERS))})`;
  if (type === "bool") return value;
  // Sums and averages may be greater, or smaller, than the numbers of JSON.
  return sql`case when abs(${value}) > 1.7e308 then sign(${value})::float8 * 'infinity'::float8
    when abs(${value}) < 1e-300 then 0 else (${value})::float8 end`;
}

function readBack(type: ColumnType, cell: Cell): Cell {
  return type === "datetime" && typeof cell === "number" ? writeTime(cell) : cell;
}

function aggregateOf(
  table: StoredTable,
  { function: name, column: of }: TableAggregate,
  path: string,
): ShownColumn {
  if (name === "count" && of === undefined) {
    return { label: "count", type: "int", value: sql`count(*)` };
  }
  if (of === undefined) throw new WrongQuery(`${path}: ${name} needs a column`);
  const { type, value } = findColumn(table, of, `${path}.column`);
  const label = `${name}(${of})`;
  if (name === "count") return { label, type: "int", value: sql`count(${value})` };
  if (name === "count_distinct") {
    return { label, type: "int", value: sql`count(distinct ${value})` };
  }
  const computed = sql`${sql.raw(name)}(${value})`;
  if (name === "min" || name === "max") {
    if (type !== "bool") return { label, type, value: computed };
    throw new WrongQuery(`${path}: ${name} needs a column that is not of bool`);
  }
  if (type === "int" || type === "float") return { label, type: "float", value: computed };
  throw new WrongQuery(
    `${path}: ${name} needs a column of numbers, and ${JSON.stringify(of)} has ${type}`,
  );
}

const comparisons = { eq: "=", lt: "<", lte: "<=", gt: ">", gte: ">=" } as const;

function conditionOf(table: StoredTable, filter: TableFilter, path: string): SQL {
  const { operator, value: given, values = [] } = filter;
  const column = findColumn(table, filter.column, `${path}.column`);
  const { value } = column;
  const read = (one: string | number | boolean | undefined, place: string): SQL => {
    if (one === undefined) throw new WrongQuery(`${path}.${place}: ${operator} needs it`);
    const cell = readCell(column.type, String(one));
    if (cell === undefined || (cell === null && column.type !== "text")) {
      throw new WrongQuery(`${path}.${place}: ${unfit(column)}`);
    }
    return sql`${String(cell ?? "")}::${sql.raw(types[column.type])}`;
  };
  switch (operator) {
    case "is_null":
      return sql`${value} is null`;
    case "is_not_null":
      return sql`${value} is not null`;
    case "in": {
      if (values.length === 0) throw new WrongQuery(`${path}.values: in needs them`);
      const all = values.map((one, index) => read(one, `values[${index}]`));
      return sql`${value} in (${sql.join(all, sql`, `)})`;
    }
    case "contains":
      if (column.type !== "text") {
        throw new WrongQuery(
          `${path}: contains needs a column of texts, and ${JSON.stringify(column.name)} has ${column.type}`,
        );
      }
      return sql`strpos(lower(${value}), lower(${read(given, "value")})) > 0`;
    case "ne":
      return sql`${value} is distinct from ${read(given, "value")}`;
    default:
      return sql`${value} ${sql.raw(comparisons[operator])} ${read(given, "value")}`;
  }
}
