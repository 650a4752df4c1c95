import { useQuery } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Section } from "../ui/section.tsx";
import { Table } from "../ui/table.tsx";
import { formatNumber, Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { TableForm } from "./table-form.tsx";
import { TableRowsDialog } from "./table-rows-dialog.tsx";

type DataTable = Output<"tables.list">["tables"][number];

interface DataTablesProps {
  readonly dataSourceId: string;
  /** Whether the reader may change them. */
  readonly canBuild: boolean;
}

/** The tables of a data source, the first hundred by id, with their columns and first rows. */
export function DataTables({ dataSourceId: dsId, canBuild }: DataTablesProps) {
  const wId = useWorkspaceId();
  const say = useToast();
  const [isAdding, setAdding] = useState(false);
  const [shown, setShown] = useState<DataTable>();
  const [removed, setRemoved] = useState<DataTable>();
  const list = useQuery(trpc.tables.list.queryOptions({ wId, dsId }));
  return (
    <Section
      title="Tables"
      actions={canBuild && <Button onClick={() => setAdding(true)}>Upload table</Button>}
    >
      <Loaded query={list} label="the tables" lines={1}>
        {({ tables, total }) =>
          tables.length === 0 ? (
            <p className="text-sm text-muted">
              No tables. Agents filter, count and add up the rows of a CSV file that is uploaded as
              a table.
            </p>
          ) : (
            <>
              <Table
                label="Tables"
                rows={tables}
                keyOf={(table) => table.table_id}
                least={["Columns", "Updated"]}
                columns={{
                  Title: ({ title }) => title,
                  Rows: ({ row_count: count }) => formatNumber(count),
                  Columns: ({ schema }) => (
                    <span className="line-clamp-2">
                      {schema.map(({ name }) => name).join(", ")}
                    </span>
                  ),
                  Updated: ({ timestamp }) => <Time at={timestamp} />,
                  Actions: (table) => (
                    <span className="flex flex-wrap gap-2">
                      <Button isSmall of={table.title} onClick={() => setShown(table)}>
                        Show rows
                      </Button>
                      {canBuild && (
                        <Button isSmall of={table.title} onClick={() => setRemoved(table)}>
                          Delete
                        </Button>
                      )}
                    </span>
                  ),
                }}
              />
              {total > tables.length && (
                <p className="text-sm text-muted">
                  The first {tables.length} of {formatNumber(total)} tables
                </p>
              )}
            </>
          )
        }
      </Loaded>
      {isAdding && (
        <TableForm
          dataSourceId={dsId}
          onClose={() => setAdding(false)}
          onUpload={({ title, row_count: count }) => {
            setAdding(false);
            say(`${title} uploaded: ${formatNumber(count)} rows`);
          }}
        />
      )}
      {shown && (
        <TableRowsDialog dataSourceId={dsId} table={shown} onClose={() => setShown(undefined)} />
      )}
      {removed && (
        <ConfirmDialog
          title="Delete table"
          description={`Deletes ${removed.title} with its rows for everyone. This cannot be undone.`}
          word={removed.table_id}
          changes={trpc.tables.pathKey()}
          onClose={() => setRemoved(undefined)}
          onConfirm={async () => {
            await rpc.tables.delete.mutate({ wId, dsId, tableId: removed.table_id });
            say(`${removed.title} deleted`);
          }}
        />
      )}
    </Section>
  );
}
