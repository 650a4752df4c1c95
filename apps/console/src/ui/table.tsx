import type { ReactNode } from "react";

/** The columns of a table in order: what each shows of a row, by name. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => ReactNode>>;

interface TableProps<Row> {
  readonly label: string;
  readonly columns: Columns<Row>;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Names of the columns that a narrow table leaves out; the cards of a phone show them. */
  readonly least?: readonly string[] | undefined;
}

/**
 * A table. Where it is narrow it leaves out its least columns, then scrolls within itself; on a phone it is a
 * list of cards, so its roles are written out: a browser drops those of a table that is displayed otherwise.
 */
export function Table<Row>({ label, columns, rows, keyOf, least = [] }: TableProps<Row>) {
  const cells = Object.entries(columns);
  const isLeast = (name: string) => (least.includes(name) ? true : undefined);
  return (
    <div
      role="group"
      aria-label={label}
      tabIndex={0}
      // Positioned, so that words for screen readers scroll along with it.
      className="table-parley relative overflow-x-auto rounded-lg border border-line"
    >
      <table role="table" className="w-full border-collapse text-left">
        <thead role="rowgroup" className="bg-surface text-sm text-muted">
          <tr role="row">
            {cells.map(([name]) => (
              <th
                key={name}
                role="columnheader"
                scope="col"
                data-least={isLeast(name)}
                className="px-3 py-1.5 font-medium whitespace-nowrap"
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              role="row"
              className="border-t border-line first:border-t-0 hover:bg-surface"
            >
              {cells.map(([name, cellOf]) => (
                <td key={name} role="cell" data-name={name} data-least={isLeast(name)}>
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
