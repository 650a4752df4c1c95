import { useMemo } from "react";
import { join } from "./join.ts";
import { type DifferenceRow, differenceRows } from "./line-differences.ts";
import { formatNumber } from "./time.tsx";

/** Rows that are shown: more would be slow. */
const MAX_ROWS = 5000;

interface TextDifferencesProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** The differences of two texts by line: removed lines as `del`, added ones as `ins`. */
export function TextDifferences({ label, before, after }: TextDifferencesProps) {
  const rows = useMemo(() => differenceRows(before, after), [before, after]);
  if (rows.length === 0) return <p className="text-muted">No differences.</p>;
  const left = rows.length - MAX_ROWS;
  return (
    <div
      role="group"
      aria-label={label}
      tabIndex={0}
      className="relative max-h-[40rem] overflow-auto rounded-md border border-line"
    >
      <table className="w-full border-collapse text-left font-mono text-sm">
        <thead className="sr-only">
          <tr>
            <th scope="col">Old line</th>
            <th scope="col">New line</th>
            <th scope="col">Text</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_ROWS).map((row, index) => (
            // Rows never move.
            <Row key={index} row={row} />
          ))}
          {left > 0 && <Skipped text={`${formatNumber(left)} more lines not shown`} />}
        </tbody>
      </table>
    </div>
  );
}

const marks = { same: " ", removed: "−", added: "+" } as const;

function Row({ row }: { readonly row: DifferenceRow }) {
  if (row.kind === "skipped") {
    return <Skipped text={`${formatNumber(row.count)} unchanged lines`} />;
  }
  const { kind, before, after, text } = row;
  const look = join(
    kind === "removed" && "bg-bad-soft text-bad",
    kind === "added" && "bg-good-soft text-good",
  );
  const number =
    "w-px px-2 text-right align-top whitespace-nowrap text-muted tabular-nums select-none";
  const Words = kind === "removed" ? "del" : kind === "added" ? "ins" : "span";
  return (
    <tr className={look}>
      <td className={number}>{before}</td>
      <td className={number}>{after}</td>
      <td className="px-2 whitespace-pre-wrap [overflow-wrap:anywhere]">
        <span aria-hidden="true" className="mr-2 select-none">
          {marks[kind]}
        </span>
        <Words className="no-underline">{text}</Words>
      </td>
    </tr>
  );
}

function Skipped({ text }: { readonly text: string }) {
  return (
    <tr className="bg-surface text-muted">
      <td colSpan={3} className="px-2 py-0.5">
        … {text}
      </td>
    </tr>
  );
}
