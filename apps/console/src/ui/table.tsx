import type { ReactNode } from "react";

interface TableProps {
  readonly label: string;
  readonly columns: readonly string[];
  /** Rows of `TableRow`. */
  readonly children: ReactNode;
}

/** A table that scrolls within itself where the page is too narrow for it. */
export function Table({ label, columns, children }: TableProps) {
  return (
    <div
      role="group"
      aria-label={label}
      tabIndex={0}
      // Positioned, so that words for screen readers scroll along with it.
      className="relative overflow-x-auto rounded-lg border border-line"
    >
      <table className="w-full border-collapse text-left">
        <thead className="bg-surface text-sm text-muted">
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" className="px-3 py-2 font-medium whitespace-nowrap">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** A row of cells, in the order of the columns. */
export function TableRow({ cells }: { readonly cells: readonly ReactNode[] }) {
  return (
    <tr className="border-t border-line hover:bg-surface">
      {cells.map((cell, index) => (
        // Columns never change places.
        <td key={index} className="min-w-20 px-3 py-2 align-baseline empty:min-w-0">
          {cell}
        </td>
      ))}
    </tr>
  );
}
