import { useMutation } from "@tanstack/react-query";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { CheckField, SelectField, TextArea, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import type { TraceDestination } from "./health.tsx";

/** The headers of a text with one in each line, as in `Name: value`; undefined for none. */
export function headersIn(text: string): Record<string, string> | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return undefined;
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

interface DestinationFormProps {
  /** The destination to change; undefined to add one. */
  readonly destination?: TraceDestination;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Adds a trace destination, or changes one. */
export function DestinationForm({ destination, onDone, onClose }: DestinationFormProps) {
  const wId = useWorkspaceId();
  const saving = useMutation({
    mutationKey: trpc.traceDestinations.pathKey(),
    mutationFn: async (form: FormData) => {
      const slow = String(form.get("slowMs"));
      const settings = {
        wId,
        name: String(form.get("name")),
        url: String(form.get("url")),
        encoding: form.get("encoding") === "json" ? ("json" as const) : ("protobuf" as const),
        headers: headersIn(String(form.get("headers"))),
        percent: Number(form.get("percent")),
        slowMs: slow === "" ? null : Number(slow),
        sendsContent: form.has("sendsContent"),
      };
      if (destination === undefined) return rpc.traceDestinations.create.mutate(settings);
      const { sId: traceDestinationId, version } = destination;
      return rpc.traceDestinations.update.mutate({ ...settings, traceDestinationId, version });
    },
    onSuccess: onDone,
  });
  const names = destination?.headerNames ?? [];
  return (
    <FormDialog
      title={destination === undefined ? "Add trace destination" : "Edit trace destination"}
      submit={destination === undefined ? "Add" : "Save"}
      action={saving}
      onSubmit={(form) => saving.mutate(form)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        required
        maxLength={64}
        autoComplete="off"
        defaultValue={destination?.name ?? ""}
      />
      <TextField
        label="URL"
        name="url"
        type="url"
        required
        maxLength={2048}
        autoComplete="off"
        defaultValue={destination?.url ?? ""}
        hint="The whole URL, which as a rule ends in /v1/traces."
      />
      <SelectField
        label="Encoding"
        name="encoding"
        defaultValue={destination?.encoding ?? "protobuf"}
      >
        <option value="protobuf">Protobuf</option>
        <option value="json">JSON</option>
      </SelectField>
      <TextArea
        label="Headers"
        name="headers"
        rows={2}
        className="font-mono text-sm"
        autoComplete="off"
        hint={
          names.length === 0
            ? "One per line, such as Authorization: Bearer key. Stored encrypted, never shown."
            : `Leave empty to keep ${names.join(", ")}. What you enter replaces all of them.`
        }
      />
      <TextField
        label="Traces to send (%)"
        name="percent"
        type="number"
        required
        min={0}
        max={100}
        step="any"
        defaultValue={destination?.percent ?? 100}
        hint="Traces of failed runs are always sent."
      />
      <TextField
        label="Always send from (ms)"
        name="slowMs"
        type="number"
        min={1}
        max={86_400_000}
        defaultValue={destination?.slowMs ?? ""}
        hint="Runs that took this long are always sent. Leave empty for no such rule."
      />
      <CheckField
        label="Send content"
        name="sendsContent"
        hint="Parameters and results of calls, and the words of errors."
        defaultChecked={destination?.sendsContent ?? false}
      />
    </FormDialog>
  );
}
