import { useState } from "react";
import { SelectField, TextField } from "../ui/field.tsx";
import { Preview } from "./preview.tsx";
import { type Schedule, splitSeconds } from "./states.ts";

const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
const timezones = [...new Set(["UTC", own, ...Intl.supportedValuesOf("timeZone")])];
const HOUR_SECONDS = 3600;

/** When a schedule fires, with the next times of what is typed. */
export function TimeFields({ schedule }: { readonly schedule: Schedule | undefined }) {
  const everySeconds = schedule?.everySeconds ?? null;
  const [when, setWhen] = useState(everySeconds === null ? "cron" : "every");
  const [cron, setCron] = useState(schedule?.cron ?? "");
  const [timezone, setTimezone] = useState(schedule?.timezone ?? own);
  const [every, setEvery] = useState(() => splitSeconds(everySeconds ?? HOUR_SECONDS));
  const times =
    when === "cron"
      ? { cron: cron.trim(), everySeconds: null, timezone: timezone.trim() }
      : { cron: null, everySeconds: every.count * every.unit, timezone: timezone.trim() };
  return (
    <>
      <SelectField
        label="When"
        name="when"
        value={when}
        onChange={(event) => setWhen(event.target.value)}
      >
        <option value="cron">At times of a cron expression</option>
        <option value="every">At an interval</option>
      </SelectField>
      {when === "cron" ? (
        <TextField
          label="Cron expression"
          name="cron"
          required
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          className="font-mono text-sm"
          value={cron}
          onChange={(event) => setCron(event.target.value)}
          hint="Minute, hour, day of month, month, day of week, such as 0 9 * * MON-FRI; or @hourly, @daily, @weekly, @monthly."
        />
      ) : (
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="Every"
            name="count"
            type="number"
            required
            min={1}
            step={1}
            value={every.count}
            onChange={(event) => setEvery({ ...every, count: Number(event.target.value) })}
          />
          <SelectField
            label="Unit"
            name="unit"
            value={every.unit}
            onChange={(event) => setEvery({ ...every, unit: Number(event.target.value) })}
          >
            <option value={1}>seconds</option>
            <option value={60}>minutes</option>
            <option value={3600}>hours</option>
            <option value={86_400}>days</option>
          </SelectField>
        </div>
      )}
      <TextField
        label="Time zone"
        name="timezone"
        required
        list="timezones"
        autoComplete="off"
        value={timezone}
        onChange={(event) => setTimezone(event.target.value)}
      />
      <datalist id="timezones">
        {timezones.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <Preview times={times} />
    </>
  );
}
