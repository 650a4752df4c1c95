import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { rpc, trpc } from "../api/clients.ts";
import { useSession } from "../api/use-session.ts";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Section } from "../ui/section.tsx";
import { ChartFigure } from "./chart.tsx";
import { activityCharts, chartsOf } from "./charts.ts";
import { Figures, Now } from "./figures.tsx";
import { PeriodChoice } from "./period-choice.tsx";
import { isOfServer, isOfWorkspace, type Measures, periods, rangeOf } from "./periods.ts";
import { Top } from "./top.tsx";

/** How often the figures are refreshed while they are visible. */
const REFRESH_MS = 15_000;

/** What happened in the workspace, or for operators on the server, and what happens now. */
export function OverviewPage() {
  const wId = useSession().workspace?.sId;
  const search = useSearch({ from: "/session/overview" });
  const { period = "hour" } = search;
  const by = search.by ?? (wId === undefined ? "workspace" : "agent");
  const reading = useQuery({
    queryKey: [...trpc.measures.pathKey(), wId, search],
    queryFn: ({ signal }) => {
      const range = rangeOf(search, Date.now());
      return wId === undefined
        ? rpc.measures.getServer.query(
            { ...range, dimension: isOfServer(by) ? by : "workspace" },
            { signal },
          )
        : rpc.measures.get.query(
            { wId, ...range, dimension: isOfWorkspace(by) ? by : "agent" },
            { signal },
          );
    },
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={wId === undefined ? "Server overview" : "Overview"}>
      <PeriodChoice search={search} />
      <Activity wId={wId} window={period === "hour" ? "hour" : "day"} isShown={false} />
      <Loaded query={reading} label="the overview" lines={10}>
        {(measures) => (
          <>
            <Happened
              measures={measures}
              span={period === "custom" ? "the chosen time" : periods[period].span}
              isLinked={wId !== undefined}
            />
            <Top measures={measures} by={by} isOfServer={wId === undefined} />
          </>
        )}
      </Loaded>
      {(period === "hour" || period === "day") && <Activity wId={wId} window={period} isShown />}
    </Page>
  );
}

interface HappenedProps {
  readonly measures: Measures;
  readonly span: string;
  /** Whether the points lead to their runs. */
  readonly isLinked: boolean;
}

/** The figures of the period, and their charts. */
function Happened({ measures, span, isLinked }: HappenedProps) {
  const navigate = useNavigate();
  const { points, stepMs } = measures;
  const times = points.map(({ startsAt }) => startsAt);
  return (
    <Section title="What happened">
      <Figures measures={measures} />
      <div className="grid gap-4 lg:grid-cols-2">
        {chartsOf(measures).map((chart) => (
          <ChartFigure
            key={chart.title}
            chart={chart}
            times={times}
            stepMs={stepMs}
            span={span}
            onSelect={
              isLinked
                ? (time) =>
                    void navigate({
                      to: "/runs",
                      search: { endedFrom: time, endedTo: time + stepMs },
                    })
                : undefined
            }
          />
        ))}
      </div>
    </Section>
  );
}

interface ActivityProps {
  readonly wId: string | undefined;
  readonly window: "hour" | "day";
  /** Whether its charts are shown, or the figures of now. */
  readonly isShown: boolean;
}

/** What waits, runs and is open. */
function Activity({ wId, window, isShown }: ActivityProps) {
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
    <Loaded query={reading} label={isShown ? "the activity" : "what happens now"} lines={2}>
      {(overview) =>
        isShown ? (
          <Section title="Activity and queue">
            <div className="grid gap-4 lg:grid-cols-2">
              {activityCharts(overview).map((chart) => (
                <ChartFigure
                  key={chart.title}
                  chart={chart}
                  times={overview.times}
                  stepMs={overview.bucketMs}
                  span={periods[window].span}
                />
              ))}
            </div>
          </Section>
        ) : (
          <Now now={overview.now} />
        )
      }
    </Loaded>
  );
}
