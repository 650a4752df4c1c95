import { useNavigate } from "@tanstack/react-router";
import { SelectField, TextField } from "../ui/field.tsx";
import { type OverviewSearch, periodNames, periods, rangeOf } from "./periods.ts";

/** A time as an input of a local day and time has it. */
function toLocal(time: number): string {
  const shifted = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** The choice of the period, which is in the URL. */
export function PeriodChoice({ search }: { readonly search: OverviewSearch }) {
  const { period = "hour" } = search;
  const navigate = useNavigate({ from: "/overview" });
  const choose = (change: OverviewSearch) =>
    void navigate({ search: (before) => ({ ...before, ...change }) });
  const range = rangeOf(search, Date.now());
  const ends = { from: "From", to: "To" } as const;
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      <SelectField
        label="Period"
        value={period}
        onChange={({ target: { value } }) => {
          const chosen = periodNames.find((one) => one === value);
          const isCustom = chosen === "custom";
          choose({
            period: chosen === "hour" ? undefined : chosen,
            from: isCustom ? range.from : undefined,
            to: isCustom ? range.to : undefined,
          });
        }}
      >
        {periodNames.map((name) => (
          <option key={name} value={name}>
            {name === "custom" ? "Custom …" : periods[name].name}
          </option>
        ))}
      </SelectField>
      {period === "custom" &&
        (["from", "to"] as const).map((end) => (
          <TextField
            key={end}
            label={ends[end]}
            type="datetime-local"
            value={toLocal(range[end])}
            onChange={({ target: { value } }) => {
              const time = new Date(value).getTime();
              if (Number.isFinite(time)) choose({ ...range, [end]: time });
            }}
          />
        ))}
    </div>
  );
}
