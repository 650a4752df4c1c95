import { Link, useNavigate } from "@tanstack/react-router";
import { EmptyState } from "../ui/empty-state.tsx";
import { SelectField } from "../ui/field.tsx";
import { Section } from "../ui/section.tsx";
import { rowLink, Table } from "../ui/table.tsx";
import { formatDuration, formatNumber } from "../ui/time.tsx";
import {
  type Dimension,
  dimensionNames,
  dimensions,
  errorRateOf,
  formatMoney,
  isOfServer as isDimensionOfServer,
  isOfWorkspace,
  type Measures,
} from "./periods.ts";

type Row = Measures["top"][number];

interface TopProps {
  readonly measures: Measures;
  readonly by: Dimension;
  readonly isOfServer: boolean;
}

const nameOf = ({ id, name }: Row) => name ?? id ?? "Others";

/** The largest agents, models, tools, keys or users, each leading to its runs. */
export function Top({ measures, by, isOfServer }: TopProps) {
  const navigate = useNavigate({ from: "/overview" });
  const { top, from: endedFrom, to: endedTo } = measures;
  const duration = (value: number | undefined) =>
    value === undefined ? "–" : formatDuration(value);
  const failedOf = (row: Row) => {
    const rate =
      by === "tool"
        ? errorRateOf({ answers: row.toolCalls, errored: row.toolCallsErrored })
        : errorRateOf(row);
    return rate === null ? "–" : `${rate.toFixed(1)} %`;
  };
  const linked = (row: Row) => {
    const { id, name } = row;
    if (isOfServer || id === null) return nameOf(row);
    // A function that agents call has its slug in place of an id.
    const filter = by === "tool" && name === null ? { function: id } : { [by]: id };
    return (
      <Link to="/runs" search={{ endedFrom, endedTo, ...filter }} className={rowLink}>
        {nameOf(row)}
      </Link>
    );
  };
  return (
    <Section
      title="Largest"
      actions={
        <SelectField
          label="By"
          value={by}
          onChange={({ target: { value } }) =>
            void navigate({
              search: (before) => ({ ...before, by: dimensions.find((one) => one === value) }),
            })
          }
        >
          {dimensions.filter(isOfServer ? isDimensionOfServer : isOfWorkspace).map((one) => (
            <option key={one} value={one}>
              {dimensionNames[one]}
            </option>
          ))}
        </SelectField>
      }
    >
      {top.length === 0 ? (
        <EmptyState title="Nothing happened in this period">
          <p className="text-muted">Answers appear here some seconds after they end.</p>
        </EmptyState>
      ) : (
        <Table
          label={`Largest by ${dimensionNames[by].toLowerCase()}`}
          rows={top.map((row, index) => ({ ...row, index }))}
          keyOf={({ index }) => index}
          least={["Tokens", "p99"]}
          columns={{
            [dimensionNames[by]]: linked,
            [by === "tool" ? "Calls" : "Answers"]: (row) =>
              formatNumber(by === "tool" ? row.toolCalls : row.answers),
            Failed: failedOf,
            "First token, p95": ({ firstToken }) => duration(firstToken?.p95),
            [by === "tool" ? "Call, p95" : "Whole, p95"]: ({ whole }) => duration(whole?.p95),
            p99: ({ whole }) => duration(whole?.p99),
            Tokens: ({ inputTokens, outputTokens }) => formatNumber(inputTokens + outputTokens),
            Cost: ({ amounts }) =>
              amounts.length === 0
                ? "–"
                : amounts
                    .map(({ amount, currency }) => formatMoney(Number(amount), currency))
                    .join(", "),
          }}
        />
      )}
    </Section>
  );
}
