import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { rpc, trpc } from "../api/clients.ts";
import { useSession } from "../api/use-session.ts";
import { SelectField } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { formatDuration, formatNumber } from "../ui/time.tsx";
import { ChartFigure } from "./chart.tsx";
import { charts, type Overview } from "./charts.ts";

/** How often the figures are refreshed while they are visible. */
const REFRESH_MS = 15_000;

/** Activity of the workspace, or for operators of the server. */
export function OverviewPage() {
  const wId = useSession().workspace?.sId;
  const { window = "hour" } = useSearch({ from: "/session/overview" });
  const navigate = useNavigate({ from: "/overview" });
  const reading = useQuery({
    queryKey: [...trpc.overview.pathKey(), wId, window],
    queryFn: ({ signal }) =>
      wId === undefined
        ? rpc.overview.getServer.query({ window }, { signal })
        : rpc.overview.get.query({ wId, window }, { signal }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={wId === undefined ? "Server overview" : "Overview"}>
      <SelectField
        label="Period"
        className="max-w-60"
        value={window}
        onChange={({ target: { value } }) =>
          void navigate({ search: { window: value === "day" ? value : undefined } })
        }
      >
        <option value="hour">Last hour</option>
        <option value="day">Last day</option>
      </SelectField>
      <Loaded query={reading} label="the overview" lines={10}>
        {(overview) => (
          <>
            <Now now={overview.now} />
            <div className="grid gap-4 lg:grid-cols-2">
              {charts.map((chart) => (
                <ChartFigure
                  key={chart.title}
                  chart={chart}
                  overview={overview}
                  span={window === "day" ? "the last day" : "the last hour"}
                />
              ))}
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** The current figures. */
function Now({ now }: { readonly now: Overview["now"] }) {
  const { waitingRuns, oldestWaitingMs, runningRuns, openStreams } = now;
  const figures = [
    ["Queued", formatNumber(waitingRuns)],
    ["Oldest queued", oldestWaitingMs === null ? "None" : formatDuration(oldestWaitingMs)],
    ["Running", formatNumber(runningRuns)],
    ["Open streams", formatNumber(openStreams)],
  ] as const;
  return (
    <dl aria-label="Now" className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      {figures.map(([name, figure]) => (
        <div key={name} className="rounded-lg border border-line bg-surface px-4 py-3">
          <dt className="text-sm text-muted">{name}</dt>
          <dd className="text-xl font-semibold tabular-nums">{figure}</dd>
        </div>
      ))}
    </dl>
  );
}
