import { alertMeasures } from "@parley/schema/built-in-alerts";
import { useMutation } from "@tanstack/react-query";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { SelectField, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import type { Alert } from "./words.ts";

interface AlertFormProps {
  /** The alert to change; undefined to create one. */
  readonly alert?: Alert;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** What a form says of an alert. */
function settingsIn(form: FormData) {
  const textIn = (name: string) => String(form.get(name) ?? "").trim();
  return {
    name: textIn("name"),
    agentId: textIn("agentId") || null,
    comparison: textIn("comparison") === "below" ? ("below" as const) : ("above" as const),
    threshold: Number(textIn("threshold")),
    until: Number(textIn("until")),
    windowMinutes: Number(textIn("windowMinutes")),
    forMinutes: Number(textIn("forMinutes")),
    minAnswers: Number(textIn("minAnswers")),
  };
}

/** Creates an alert, or changes when it opens and ends. */
export function AlertForm({ alert, onDone, onClose }: AlertFormProps) {
  const wId = useWorkspaceId();
  const saving = useMutation({
    mutationKey: trpc.alerts.pathKey(),
    mutationFn: async (form: FormData) => {
      const settings = settingsIn(form);
      if (alert !== undefined) {
        const { sId: alertId, version } = alert;
        return rpc.alerts.update.mutate({ wId, alertId, version, ...settings });
      }
      // The options are those of the table.
      const measure = String(form.get("measure")) as Alert["measure"];
      return rpc.alerts.create.mutate({ wId, measure, ...settings });
    },
    onSuccess: onDone,
  });
  const numberField = (
    name: "threshold" | "until" | "windowMinutes" | "forMinutes" | "minAnswers",
    label: string,
    { initial, hint, step = "1" }: { initial: number; hint?: string; step?: string },
  ) => (
    <TextField
      label={label}
      name={name}
      type="number"
      required
      min={name === "windowMinutes" ? 1 : 0}
      step={step}
      defaultValue={alert?.[name] ?? initial}
      {...(hint !== undefined && { hint })}
    />
  );
  return (
    <FormDialog
      title={alert === undefined ? "Create alert" : "Edit alert"}
      submit={alert === undefined ? "Create" : "Save"}
      action={saving}
      onSubmit={(form) => saving.mutate(form)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        required
        maxLength={255}
        autoComplete="off"
        defaultValue={alert?.name ?? ""}
      />
      <SelectField
        label="Measure"
        name="measure"
        disabled={alert !== undefined}
        defaultValue={alert?.measure ?? "error_rate"}
      >
        {Object.entries(alertMeasures).map(([name, { label, unit }]) => (
          <option key={name} value={name}>
            {unit === "" ? label : `${label} (${unit})`}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Agent"
        name="agentId"
        autoComplete="off"
        defaultValue={alert?.agentId ?? ""}
        hint="Id of the only agent that counts. Leave empty for all."
      />
      <SelectField label="Opens" name="comparison" defaultValue={alert?.comparison ?? "above"}>
        <option value="above">Above the threshold</option>
        <option value="below">Below the threshold</option>
      </SelectField>
      {numberField("threshold", "Threshold", { initial: 10, step: "any" })}
      {numberField("until", "Ends at", {
        initial: 5,
        step: "any",
        hint: "Not beyond the threshold, so that it does not open and end all the time.",
      })}
      {numberField("windowMinutes", "Window (minutes)", {
        initial: 15,
        hint: "How much time is looked at, of what happens over time.",
      })}
      {numberField("forMinutes", "For (minutes)", {
        initial: 0,
        hint: "How long the measure must be beyond the threshold.",
      })}
      {numberField("minAnswers", "Min answers", {
        initial: 10,
        hint: "Rates and percentiles of fewer answers do not count.",
      })}
    </FormDialog>
  );
}
