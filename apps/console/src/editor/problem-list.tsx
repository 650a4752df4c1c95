import { Badge } from "../ui/badge.tsx";
import type { Problem } from "./problem.ts";

/** Problems that are listed below an editor; all are marked at their lines. */
const MAX_SHOWN = 20;

interface ProblemListProps {
  readonly label: string;
  readonly problems: readonly Problem[];
  readonly onChoose: (problem: Problem) => void;
}

/** The problems of a text; each leads to its position. */
export function ProblemList({ label, problems, onChoose }: ProblemListProps) {
  if (problems.length === 0) return null;
  return (
    <ul aria-label={label} className="grid justify-items-start gap-1 text-sm">
      {problems.slice(0, MAX_SHOWN).map((problem) => (
        <li key={`${problem.line}:${problem.column}:${problem.message}`}>
          <button
            type="button"
            onClick={() => onChoose(problem)}
            className="text-left hover:underline"
          >
            <Badge tone={problem.severity === "error" ? "bad" : "warn"}>
              {`Line ${problem.line}, column ${problem.column}`}
            </Badge>{" "}
            <span className="whitespace-pre-wrap">{problem.message}</span>
          </button>
        </li>
      ))}
      {problems.length > MAX_SHOWN && <li>and {problems.length - MAX_SHOWN} more</li>}
    </ul>
  );
}
