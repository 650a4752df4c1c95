import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { SelectField } from "../ui/field.tsx";
import { List } from "../ui/list.tsx";
import { Section } from "../ui/section.tsx";
import { wordOf } from "../ui/states.ts";
import { Time } from "../ui/time.tsx";
import { type Firing, firingStatuses, memberOf, type Schedule } from "./states.ts";
import { ZonedTime } from "./zoned-time.tsx";

/** How often firings are read again while one of them waits. */
const REFRESH_MS = 2000;

/** The times of a schedule, the newest first, and what came of them. */
export function Firings({ schedule }: { readonly schedule: Schedule }) {
  const wId = useWorkspaceId();
  const { scheduleId } = useParams({ from: "/session/schedules/$scheduleId" });
  const { status, after } = useSearch({ from: "/session/schedules/$scheduleId" });
  const navigate = useNavigate({ from: "/schedules/$scheduleId" });
  const list = useQuery(
    trpc.schedules.listFirings.queryOptions(
      { wId, scheduleId, status, lastValue: after },
      {
        refetchInterval: ({ state }) =>
          state.data?.firings.some((one) => one.status === "waiting") === true && REFRESH_MS,
        placeholderData: keepPreviousData,
      },
    ),
  );
  return (
    <Section title="Firings">
      <SelectField
        label="Status"
        className="max-w-60"
        value={status ?? ""}
        onChange={({ target: { value } }) =>
          void navigate({ search: { status: firingStatuses.find((one) => one === value) } })
        }
      >
        <option value="">All</option>
        {firingStatuses.map((one) => (
          <option key={one} value={one}>
            {wordOf(one)}
          </option>
        ))}
      </SelectField>
      <List
        name="Firings"
        query={list}
        rowsOf={({ firings }) => firings}
        keyOf={({ sId }) => sId}
        after={after}
        empty={
          <EmptyState title={status === undefined ? "No firings yet" : "No such firings"}>
            <p className="text-muted">What comes of its times is listed here.</p>
          </EmptyState>
        }
        columns={{
          Time: ({ slot, isManual }) => (
            <span>
              <ZonedTime at={slot} timezone={schedule.timezone} />
              {isManual && <span className="block text-sm text-muted">by hand</span>}
            </span>
          ),
          Status: ({ status: current }) => <StatusBadge status={current} />,
          Started: ({ startedAt }) => startedAt !== null && <Time at={startedAt} />,
          Result: (firing) => <StartedLink firing={firing} schedule={schedule} />,
          Reason: ({ reason }) => reason,
        }}
      />
    </Section>
  );
}

interface StartedLinkProps {
  readonly firing: Firing;
  readonly schedule: Schedule;
}

/** What a firing has started. */
function StartedLink({ firing: { conversationId, invocationId }, schedule }: StartedLinkProps) {
  if (conversationId !== null) {
    return (
      <Link
        to="/conversations/$conversationId"
        params={{ conversationId }}
        search={{ view: "timeline" }}
        className="underline"
      >
        Conversation
      </Link>
    );
  }
  const functionId = memberOf(schedule.function, "functionId");
  if (invocationId === null || functionId === "") return invocationId;
  return (
    <Link
      to="/functions/$functionId/invocations/$invocationId"
      params={{ functionId, invocationId }}
      className="underline"
    >
      Invocation
    </Link>
  );
}
