import { join } from "../../ui/join.ts";
import type { DiffLine, PartDifference } from "./differences.ts";

const looks: Readonly<Record<DiffLine["kind"], string>> = {
  same: "",
  added: "bg-good-soft text-good",
  removed: "bg-bad-soft text-bad",
};
const signs: Readonly<Record<DiffLine["kind"], string>> = { same: "", added: "+", removed: "−" };

/** The differences of a part as a table: each line says in words whether it was added or removed. */
export function DiffTable({ part }: { readonly part: PartDifference }) {
  const lines = part.hunks.flat();
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return (
    <div className="grid min-w-0 gap-1">
      <h3 className="font-medium">
        {part.name}{" "}
        <span className="text-sm font-normal text-muted">
          {count("added")} added, {count("removed")} removed
        </span>
      </h3>
      <div
        role="group"
        aria-label={`Differences of ${part.name}`}
        tabIndex={0}
        className="relative max-h-[32rem] overflow-auto rounded-md border border-line"
      >
        <table className="w-full border-collapse font-mono text-sm">
          <thead className="sr-only">
            <tr>
              <th scope="col">Old line</th>
              <th scope="col">New line</th>
              <th scope="col">Change</th>
              <th scope="col">Text</th>
            </tr>
          </thead>
          {part.hunks.map((hunk, index) => (
            // Hunks are in the order of their lines, and never change places.
            <tbody key={index} className={index > 0 ? "border-t-4 border-line" : ""}>
              {hunk.map((line) => (
                <Line key={`${line.oldLine} ${line.newLine}`} line={line} />
              ))}
            </tbody>
          ))}
        </table>
      </div>
    </div>
  );
}

function Line({ line: { kind, oldLine, newLine, text } }: { readonly line: DiffLine }) {
  const number = "w-px px-2 text-right align-top whitespace-nowrap select-none";
  return (
    <tr className={looks[kind]}>
      <td className={join(number, kind === "same" && "text-muted")}>{oldLine}</td>
      <td className={join(number, kind === "same" && "text-muted")}>{newLine}</td>
      <td className="w-px px-1 align-top select-none">
        {kind !== "same" && (
          <>
            <span aria-hidden="true">{signs[kind]}</span>
            <span className="sr-only">{kind}</span>
          </>
        )}
      </td>
      <td className="pr-3 whitespace-pre">{text}</td>
    </tr>
  );
}
