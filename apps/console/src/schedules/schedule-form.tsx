import { useMutation } from "@tanstack/react-query";
import { hasRole } from "../api/access.ts";
import { rpc, trpc } from "../api/clients.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { ChoiceField } from "./choice-field.tsx";
import { LaunchFields } from "./launch-fields.tsx";
import { settingsIn } from "./read-form.ts";
import { missedTimes, overlaps, type Schedule } from "./states.ts";
import { TimeFields } from "./time-fields.tsx";
import { useChoices } from "./use-choices.ts";

interface ScheduleFormProps {
  /** The schedule to change; undefined to create one. */
  readonly schedule?: Schedule;
  readonly onDone: (schedule: Schedule) => void;
  readonly onClose: () => void;
}

/** Creates a schedule, or changes what it starts, and when. */
export function ScheduleForm({ schedule, onDone, onClose }: ScheduleFormProps) {
  const wId = useWorkspaceId();
  const isAdmin = hasRole(useSession(), "admin");
  const { data: choices, error } = useChoices();
  const saving = useMutation({
    mutationKey: trpc.schedules.pathKey(),
    mutationFn: async (form: FormData) => {
      const settings = settingsIn(form);
      if (schedule === undefined) return rpc.schedules.create.mutate({ wId, ...settings });
      const { cron, everySeconds, timezone, ...others } = settings;
      // An interval restarts whenever it is given, so only other times are.
      const isSame =
        cron === schedule.cron &&
        everySeconds === schedule.everySeconds &&
        timezone === schedule.timezone;
      const { sId: scheduleId, version } = schedule;
      return rpc.schedules.update.mutate({
        wId,
        scheduleId,
        version,
        ...others,
        ...(!isSame && { cron, everySeconds, timezone }),
      });
    },
    onSuccess: (done) => onDone(done.schedule),
  });
  return (
    <FormDialog
      title={schedule === undefined ? "Create schedule" : "Edit schedule"}
      submit={schedule === undefined ? "Create" : "Save"}
      action={saving}
      onSubmit={(form) => saving.mutate(form)}
      onClose={onClose}
    >
      {error && <ErrorNotice title="The agents and functions could not be loaded" error={error} />}
      <TextField
        label="Name"
        name="name"
        required
        maxLength={255}
        autoComplete="off"
        defaultValue={schedule?.name ?? ""}
      />
      <TextField
        label="Description"
        name="description"
        maxLength={1024}
        autoComplete="off"
        defaultValue={schedule?.description ?? ""}
      />
      <LaunchFields schedule={schedule} choices={choices} />
      <TimeFields schedule={schedule} />
      <SelectField
        label="If the firing before still runs"
        name="overlap"
        defaultValue={schedule?.overlap ?? "skip"}
      >
        {optionsOf(overlaps)}
      </SelectField>
      <SelectField
        label="Missed times"
        name="missed"
        defaultValue={schedule?.missed ?? "last"}
        hint="Times that passed by more than a minute while nothing could start."
      >
        {optionsOf(missedTimes)}
      </SelectField>
      <TextField
        label="Jitter (seconds)"
        name="jitterSeconds"
        type="number"
        required
        min={0}
        max={3600}
        defaultValue={schedule?.jitterSeconds ?? 0}
        hint="Each firing starts up to so many seconds late."
      />
      {isAdmin && (
        <ChoiceField
          label="Acts for the key"
          name="keyId"
          choices={choices?.keys}
          chosen=""
          none={schedule === undefined ? "Your own" : "Keep the current one"}
        />
      )}
    </FormDialog>
  );
}

const optionsOf = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, word]) => (
    <option key={value} value={value}>
      {word}
    </option>
  ));
