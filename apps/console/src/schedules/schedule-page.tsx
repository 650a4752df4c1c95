import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { isNotFound } from "../api/failures.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { NotFoundPage } from "../ui/not-found-page.tsx";
import { Page } from "../ui/page.tsx";
import { useToast } from "../ui/toast.tsx";
import { Firings } from "./firings.tsx";
import { ScheduleForm } from "./schedule-form.tsx";
import { Settings } from "./settings.tsx";
import type { Schedule } from "./states.ts";

/** One schedule: what it starts and when, and its firings. */
export function SchedulePage() {
  const { scheduleId } = useParams({ from: "/session/schedules/$scheduleId" });
  const wId = useWorkspaceId();
  const navigate = useNavigate();
  const say = useToast();
  const [doing, setDoing] = useState<"change" | "remove">();
  const close = () => setDoing(undefined);
  const shown = useQuery(trpc.schedules.get.queryOptions({ wId, scheduleId }));
  const schedule = shown.data?.schedule;
  const mutationKey = trpc.schedules.pathKey();
  const running = useMutation({
    mutationKey,
    mutationFn: async () => rpc.schedules.run.mutate({ wId, scheduleId }),
    onSuccess: () => say("It starts now"),
  });
  const pausing = useMutation({
    mutationKey,
    mutationFn: async ({ version, pausedFor }: Schedule) =>
      rpc.schedules.update.mutate({ wId, scheduleId, version, isPaused: pausedFor === null }),
    onSuccess: (done) => say(done.schedule.pausedFor === null ? "Resumed" : "Paused"),
  });
  if (isNotFound(shown.error)) return <NotFoundPage />;
  return (
    <Page
      title={schedule?.name ?? "Schedule"}
      actions={
        schedule && (
          <>
            <Button isBusy={running.isPending} onClick={() => running.mutate()}>
              Run now
            </Button>
            <Button isBusy={pausing.isPending} onClick={() => pausing.mutate(schedule)}>
              {schedule.pausedFor === null ? "Pause" : "Resume"}
            </Button>
            <Menu trigger={<Button>Actions</Button>}>
              <MenuItem onSelect={() => setDoing("change")}>Edit …</MenuItem>
              <MenuItem onSelect={() => setDoing("remove")}>Remove …</MenuItem>
            </Menu>
          </>
        )
      }
    >
      {running.isError && <ErrorNotice error={running.error} />}
      {pausing.isError && <ErrorNotice error={pausing.error} />}
      <Loaded query={shown} label="the schedule">
        {(data) => (
          <>
            <Settings schedule={data.schedule} />
            <Firings schedule={data.schedule} />
          </>
        )}
      </Loaded>
      {schedule && doing === "change" && (
        <ScheduleForm
          schedule={schedule}
          onClose={close}
          onDone={() => {
            close();
            say("Schedule saved");
          }}
        />
      )}
      {schedule && doing === "remove" && (
        <ConfirmDialog
          title="Remove schedule"
          description="It starts nothing more, and its firings are deleted. What it has started stays. This cannot be undone."
          word={schedule.name}
          changes={trpc.schedules.list.pathKey()}
          onClose={close}
          onConfirm={async () => {
            await rpc.schedules.remove.mutate({ wId, scheduleId, version: schedule.version });
            await navigate({ to: "/schedules" });
            say(`${schedule.name} removed`);
          }}
        />
      )}
    </Page>
  );
}
