import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { List } from "../ui/list.tsx";
import { Section } from "../ui/section.tsx";
import { Time } from "../ui/time.tsx";
import { formatMeasure, type Incident } from "./words.ts";

/** How often incidents are read again. */
const REFRESH_MS = 15_000;

const byState = (incidents: readonly Incident[]) =>
  incidents.toSorted((a, b) => Number(a.closedAt !== null) - Number(b.closedAt !== null));

/** The incidents of alerts: of each page those that are open, then the newest. */
export function Incidents() {
  const wId = useWorkspaceId();
  const { after } = useSearch({ from: "/session/alerts" });
  const list = useQuery({
    ...trpc.alerts.listIncidents.queryOptions({ wId, lastValue: after }),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Section title="Incidents">
      <List
        name="Incidents"
        query={list}
        rowsOf={({ incidents }) => byState(incidents)}
        keyOf={({ sId }) => sId}
        after={after}
        least={["Worst"]}
        columns={{
          Alert: ({ name, beganAt, closedAt }) => (
            <Link
              to="/runs"
              search={{ from: beganAt - 15 * 60_000, to: closedAt ?? undefined }}
              className="font-medium underline"
            >
              {name}
            </Link>
          ),
          State: ({ closedAt, closedFor }) =>
            closedAt === null ? (
              <Badge tone="bad">open</Badge>
            ) : (
              <Badge>{closedFor === "changed" ? "closed: changed" : "closed"}</Badge>
            ),
          Opened: ({ openedAt }) => <Time at={openedAt} />,
          Closed: ({ closedAt }) => (closedAt === null ? "–" : <Time at={closedAt} />),
          Value: ({ measure, value, threshold }) =>
            `${formatMeasure(measure, value)} (limit ${formatMeasure(measure, threshold)})`,
          Worst: ({ measure, worst }) => formatMeasure(measure, worst),
        }}
        empty={
          <EmptyState title="No incidents">
            <p className="text-muted">
              An incident begins when a rule below is broken. To be told of it, create a webhook for{" "}
              <code className="font-mono">alert.opened</code> and{" "}
              <code className="font-mono">alert.closed</code>.
            </p>
          </EmptyState>
        }
      />
    </Section>
  );
}
