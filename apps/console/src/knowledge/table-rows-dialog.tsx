import { useQuery } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Table } from "../ui/table.tsx";
import { formatNumber } from "../ui/time.tsx";

type Row = Output<"tableRows.list">["rows"][number];

const ROWS = 20;

interface TableRowsDialogProps {
  readonly dataSourceId: string;
  readonly table: Pick<Output<"tables.get">["table"], "table_id" | "title" | "schema">;
  readonly onClose: () => void;
}

/** The columns of a table with their types, and its first rows. */
export function TableRowsDialog({ dataSourceId, table, onClose }: TableRowsDialogProps) {
  const wId = useWorkspaceId();
  const { table_id: tableId, title, schema } = table;
  const input = { wId, dsId: dataSourceId, tableId, limit: ROWS };
  const reading = useQuery(trpc.tableRows.list.queryOptions(input));
  const columns = schema.map(({ name, value_type: type }) => [
    `${name} (${type})`,
    ({ value }: Row) => textOf(value[name]),
  ]);
  return (
    <Dialog title={title} isOpen onOpenChange={onClose}>
      <Loaded query={reading} label="the rows">
        {({ rows, total }) => (
          <>
            <p className="text-sm text-muted">
              {rows.length < total
                ? `The first ${rows.length} of ${formatNumber(total)} rows`
                : `${formatNumber(total)} rows`}
            </p>
            {rows.length > 0 && (
              <Table
                label="Rows"
                rows={rows}
                keyOf={({ row_id: id }) => id}
                columns={{ Row: ({ row_id: id }) => id, ...Object.fromEntries(columns) }}
              />
            )}
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

function textOf(cell: Row["value"][string] | undefined): string {
  return typeof cell === "object" && cell !== null ? cell.string_value : String(cell ?? "");
}
