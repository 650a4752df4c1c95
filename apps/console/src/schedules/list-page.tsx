import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { Command, EmptyState } from "../ui/empty-state.tsx";
import { Icon } from "../ui/icon.tsx";
import { ListPage } from "../ui/list.tsx";
import { rowLink } from "../ui/table.tsx";
import { useToast } from "../ui/toast.tsx";
import { Health } from "./health.tsx";
import { ScheduleForm } from "./schedule-form.tsx";
import { timesOf } from "./states.ts";
import { ZonedTime } from "./zoned-time.tsx";

/** The schedules of the workspace: whether they fire, and when they did last and do next. */
export function ScheduleListPage() {
  const wId = useWorkspaceId();
  const { after } = useSearch({ from: "/session/schedules" });
  const say = useToast();
  const [isCreating, setCreating] = useState(false);
  const list = useQuery(trpc.schedules.list.queryOptions({ wId, lastValue: after }));
  return (
    <ListPage
      name="Schedules"
      query={list}
      rowsOf={({ schedules }) => schedules}
      keyOf={({ sId }) => sId}
      after={after}
      actions={
        <Button variant="primary" onClick={() => setCreating(true)}>
          <Icon name="plus" />
          Create schedule
        </Button>
      }
      columns={{
        Name: ({ sId, name, description }) => (
          <span>
            <Link to="/schedules/$scheduleId" params={{ scheduleId: sId }} className={rowLink}>
              {name}
            </Link>
            <span className="block text-sm text-muted">{description}</span>
          </span>
        ),
        State: Health,
        Times: (schedule) => (
          <code className="font-mono text-sm whitespace-nowrap">{timesOf(schedule)}</code>
        ),
        Last: ({ lastFiring, timezone }) =>
          lastFiring && <ZonedTime at={lastFiring.slot} timezone={timezone} />,
        Next: ({ nextSlot, timezone }) =>
          nextSlot !== null && <ZonedTime at={nextSlot} timezone={timezone} />,
      }}
      empty={
        <EmptyState title="No schedules yet">
          <p className="text-muted">
            A schedule starts an agent or a function at set times. Create one here, or with:
          </p>
          <Command>
            parley schedules create Report --cron &quot;0 9 * * MON-FRI&quot; --agent helper
            --message &quot;Write the report&quot;
          </Command>
        </EmptyState>
      }
    >
      {isCreating && (
        <ScheduleForm
          onClose={() => setCreating(false)}
          onDone={({ name }) => {
            setCreating(false);
            say(`${name} created`);
          }}
        />
      )}
    </ListPage>
  );
}
