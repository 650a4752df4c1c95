import { usageToCsv } from "@parley/schema/usage-csv";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { rpc, trpc } from "../api/clients.ts";
import { useSession } from "../api/use-session.ts";
import { SavedViews } from "../saved-views/saved-views.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { SelectField } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { saveFile } from "../ui/save-file.ts";
import { Section } from "../ui/section.tsx";
import { Table } from "../ui/table.tsx";
import { formatNumber } from "../ui/time.tsx";
import { StackedBars } from "./stacked-bars.tsx";
import {
  changeOf,
  daysOf,
  type Dimension,
  dimensions,
  formatMoney,
  layersOf,
  type Measure,
  nameOf,
  type Period,
  periods,
  rangeOf,
  type Usage,
  valueOf,
} from "./usage-series.ts";

const names: Readonly<Record<Dimension, string>> = {
  none: "Nothing",
  agent: "Agent",
  model: "Model",
  key: "Key",
  user: "User",
  origin: "Purpose",
  workspace: "Workspace",
};

/** What the server's usage can be divided by. */
type OfServer = "none" | "model" | "origin" | "workspace";
const ofServer = (by: Dimension): by is OfServer =>
  by === "none" || by === "model" || by === "origin" || by === "workspace";
const ofWorkspace = (by: Dimension): by is Exclude<Dimension, "workspace"> => by !== "workspace";

/** What calls of models cost in the workspace, or for operators in all. */
export function UsagePage() {
  const wId = useSession().workspace?.sId;
  const search = useSearch({ from: "/session/usage" });
  const { days = "30", show: measure = "cost" } = search;
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
  const range = rangeOf(days, Date.now(), timezone);
  const by = search.by ?? (wId === undefined ? "workspace" : "agent");
  const reading = useQuery({
    queryKey: [...trpc.usage.pathKey(), wId, range, by],
    queryFn: ({ signal }) =>
      wId === undefined
        ? rpc.usage.getServer.query(
            { ...range, timezone, by: ofServer(by) ? by : "workspace" },
            { signal },
          )
        : rpc.usage.get.query(
            { wId, ...range, timezone, by: ofWorkspace(by) ? by : "agent" },
            { signal },
          ),
    placeholderData: keepPreviousData,
  });
  const { data } = reading;
  return (
    <Page
      title={wId === undefined ? "Server usage" : "Usage"}
      actions={
        <Button
          disabled={data === undefined || data.rows.length === 0}
          onClick={() => data && void save(data, range)}
        >
          Download CSV
        </Button>
      }
    >
      <Choices days={days} by={by} measure={measure} isOfServer={wId === undefined} />
      <div>
        <SavedViews page="usage" />
      </div>
      <Loaded query={reading} label="the usage" lines={10}>
        {(usage) =>
          usage.totals.length === 0 ? (
            <EmptyState title="No usage in this period">
              <p className="text-muted">Calls of models appear here, with what they cost.</p>
            </EmptyState>
          ) : (
            <Shown usage={usage} days={daysOf(range)} by={by} measure={measure} />
          )
        }
      </Loaded>
    </Page>
  );
}

async function save(usage: Usage, { startDate, endDate }: { startDate: string; endDate: string }) {
  const type = "text/csv;charset=utf-8";
  const file = new Response(new Blob([usageToCsv(usage)], { type }));
  await saveFile(file, `usage_${startDate}_${endDate}.csv`);
}

interface ChoicesProps {
  readonly days: Period;
  readonly by: Dimension;
  readonly measure: Measure;
  readonly isOfServer: boolean;
}

/** The choices of what is shown, which are in the URL. */
function Choices({ days, by, measure, isOfServer }: ChoicesProps) {
  const navigate = useNavigate({ from: "/usage" });
  const choose = (change: object) =>
    void navigate({ search: (before) => ({ ...before, ...change }) });
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      <SelectField
        label="Period"
        value={days}
        onChange={({ target: { value } }) => choose({ days: value })}
      >
        {periods.map((period) => (
          <option key={period} value={period}>
            Last {period} days
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Divided by"
        value={by}
        onChange={({ target: { value } }) => choose({ by: value })}
      >
        {dimensions.filter(isOfServer ? ofServer : ofWorkspace).map((one) => (
          <option key={one} value={one}>
            {names[one]}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Show"
        value={measure}
        onChange={({ target: { value } }) => choose({ show: value })}
      >
        <option value="cost">Cost</option>
        <option value="tokens">Tokens</option>
      </SelectField>
    </div>
  );
}

interface ShownProps {
  readonly usage: Usage;
  readonly days: readonly string[];
  readonly by: Dimension;
  readonly measure: Measure;
}

/** The figures, the chart, and what changed. */
function Shown({ usage, days, by, measure }: ShownProps) {
  const search = useSearch({ from: "/session/usage" });
  const navigate = useNavigate({ from: "/usage" });
  const currencies = usage.totals.map(({ currency }) => currency);
  const [first = ""] = currencies;
  const currency = currencies.find((one) => one === search.currency) ?? first;
  const total = usage.totals.find((one) => one.currency === currency);
  if (total === undefined) return null;
  const money = (amount: number) => formatMoney(amount, currency);
  const format = measure === "cost" ? money : formatNumber;
  const groups = usage.groups.filter((group) => group.currency === currency);
  const change = ({ before, ...now }: (typeof groups)[number] | typeof total) =>
    changeOf(valueOf(measure, now), valueOf(measure, before)) ?? "new";
  const figures = [
    ["Cost", money(Number(total.amount))],
    ["Tokens", formatNumber(valueOf("tokens", total))],
    ["Calls of models", formatNumber(total.calls)],
    [`Change against the ${days.length} days before`, change(total)],
  ] as const;
  return (
    <>
      {currencies.length > 1 && (
        <SelectField
          label="Currency"
          className="max-w-60"
          value={currency}
          onChange={({ target: { value } }) =>
            void navigate({ search: (before) => ({ ...before, currency: value }) })
          }
        >
          {currencies.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </SelectField>
      )}
      <dl aria-label="In all" className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        {figures.map(([name, figure]) => (
          <div key={name} className="rounded-lg border border-line bg-surface px-4 py-3">
            <dt className="text-sm text-muted">{name}</dt>
            <dd className="text-xl font-semibold tabular-nums">{figure}</dd>
          </div>
        ))}
      </dl>
      <Notes total={total} money={money} timezone={usage.timezone} />
      <StackedBars
        title={measure === "cost" ? "Cost by day" : "Tokens by day"}
        days={days}
        layers={layersOf(usage, { days, currency, measure })}
        format={format}
      />
      {by !== "none" && (
        <Section title="What changed">
          <Table
            label="What changed"
            rows={groups}
            keyOf={({ id, isOthers }) => (isOthers ? "others" : `of ${id}`)}
            columns={{
              [names[by]]: (group) => <span className="font-medium">{nameOf(group)}</span>,
              Cost: ({ amount }) => money(Number(amount)),
              Tokens: (group) => formatNumber(valueOf("tokens", group)),
              Calls: ({ calls }) => formatNumber(calls),
              Before: ({ before }) => format(valueOf(measure, before)),
              Change: change,
            }}
          />
        </Section>
      )}
    </>
  );
}

interface NotesProps {
  readonly total: Usage["totals"][number];
  readonly money: (amount: number) => string;
  readonly timezone: string;
}

/** What a reader of the figures must know. */
function Notes({ total, money, timezone }: NotesProps) {
  const { unpricedCalls, estimatedAmount } = total;
  return (
    <p className="text-sm text-muted">
      Days of {timezone}.
      {unpricedCalls > 0 &&
        ` ${formatNumber(unpricedCalls)} calls are of models without a price: they are not in the cost.`}
      {estimatedAmount !== "0" &&
        ` ${money(Number(estimatedAmount))} is estimated: the service never said what it counted.`}
    </p>
  );
}
