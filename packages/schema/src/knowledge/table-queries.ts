import * as z from "zod";

/** Columns that an answer shows. */
export const MAX_SHOWN_COLUMNS = 50;

const column = z.string().max(255).describe("Name of a column");

const TableFilter = z.object({
  column,
  operator: z
    .enum(["eq", "ne", "lt", "lte", "gt", "gte", "contains", "in", "is_null", "is_not_null"])
    .describe("How the column is compared; `contains` is of texts, in any case"),
  value: z
    .union([z.string().max(1000), z.number(), z.boolean()])
    .optional()
    .describe("What it is compared with; dates as 2026-01-31"),
  values: z
    .array(z.union([z.string().max(1000), z.number(), z.boolean()]))
    .max(100)
    .optional()
    .describe("What it is one of, for `in`"),
});
export type TableFilter = z.output<typeof TableFilter>;

const TableAggregate = z.object({
  function: z
    .enum(["count", "count_distinct", "sum", "avg", "min", "max"])
    .describe("What is computed of the column"),
  column: column.optional().describe("Name of a column; `count` without one counts rows"),
});
export type TableAggregate = z.output<typeof TableAggregate>;

/** What an agent asks of a table. */
export const TableQuery = z.object({
  columns: z
    .array(column)
    .max(MAX_SHOWN_COLUMNS)
    .optional()
    .describe(`Columns to show, for rows; the first ${MAX_SHOWN_COLUMNS} by default`),
  filters: z.array(TableFilter).max(20).optional().describe("Only rows that fulfil all of these"),
  groupBy: z.array(column).max(5).optional().describe("Columns by which rows are put together"),
  aggregates: z
    .array(TableAggregate)
    .max(10)
    .optional()
    .describe("What to compute of each group, or of all rows; instead of columns"),
  orderBy: z
    .array(
      z.object({
        by: z
          .string()
          .max(300)
          .describe(
            "A column, or an aggregate as the answer names it, such as count or sum(price)",
          ),
        descending: z.boolean().optional().describe("Whether the greatest come first"),
      }),
    )
    .max(5)
    .optional()
    .describe("Order; that of the table by default"),
  limit: z.int().min(1).max(100).optional().describe("Rows to return, 1 to 100; 50 by default"),
  offset: z.int().min(0).max(100_000).optional().describe("Rows to skip; 0 by default"),
});
export type TableQuery = z.output<typeof TableQuery>;

/** The JSON Schema of a query, as the members of an object. */
export function tableQueryProperties(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(TableQuery, { io: "input" }).properties ?? {};
}

/** The query that a model gives, or what is wrong with it: null stands for nothing. */
export function readTableQuery(
  params: Readonly<Record<string, unknown>>,
): TableQuery | { readonly refused: string } {
  const given = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
  const parsed = TableQuery.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return { refused: `${z.core.toDotPath(issue?.path ?? [])}: ${issue?.message ?? "is not valid"}` };
}
