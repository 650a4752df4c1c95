import { join } from "../ui/join.ts";
import type { Budget } from "./budget.ts";

/** What is spent of a budget, or by the one that has spent the most of it. */
export function SpentBar({ spending, subjectId, scope, limit, currency, measure, name }: Budget) {
  const spent = spending?.spent ?? "0";
  const share = Number(limit) === 0 ? 1 : Math.min(1, Number(spent) / Number(limit));
  const isUsedUp = spending?.isUsedUp ?? false;
  const isOfMost = subjectId === null && scope !== "workspace" && scope !== "server";
  return (
    <span className="grid min-w-40 gap-1">
      <span>
        {spent} of {limit} {currency ?? measure.replace("_", " ")}
      </span>
      <span
        role="meter"
        aria-label={`Spent of ${name}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        className="h-1.5 overflow-hidden rounded-full bg-raised"
      >
        <span
          className={join("block h-full", isUsedUp ? "bg-bad" : "bg-accent")}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      {isOfMost && spending !== null && (
        <span className="text-sm text-muted">
          the most, by <code className="font-mono">{spending.subjectId}</code>
        </span>
      )}
    </span>
  );
}
