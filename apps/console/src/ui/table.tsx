import type { ReactNode } from "react";

/** The columns of a table in order: what each shows of a row, by name. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => ReactNode>>;

interface TableProps<Row> {
  readonly label: string;
  readonly columns: Columns<Row>;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
}

/** A table that scrolls within itself if the page is too narrow for it. */
export function Table<Row>({ label, columns, rows, keyOf }: TableProps<Row>) {
  const cells = Object.entries(columns);
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
            {cells.map(([name]) => (
              <th key={name} scope="col" className="px-3 py-2 font-medium whitespace-nowrap">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-t border-line hover:bg-surface">
              {cells.map(([name, cellOf]) => (
                <td key={name} className="min-w-20 px-3 py-2 align-baseline empty:min-w-0">
                  {cellOf(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface NamedProps {
  readonly name: string;
  readonly sId: string;
}

/** A name with the id below it. */
export function NameAndId({ name, sId }: NamedProps) {
  return (
    <span>
      <span className="font-medium">{name}</span>
      <code className="block font-mono text-sm whitespace-nowrap text-muted">{sId}</code>
    </span>
  );
}

/** The look of the link from a row to its page. */
export const rowLink = "font-medium text-accent hover:underline";
