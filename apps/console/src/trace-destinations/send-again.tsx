import { useMutation } from "@tanstack/react-query";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { SelectField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import type { TraceDestination } from "./health.tsx";

const HOUR_MS = 3_600_000;
/** The periods that may be sent again, by their names. */
const periods = {
  "Last hour": HOUR_MS,
  "Last day": 24 * HOUR_MS,
  "Last 7 days": 7 * 24 * HOUR_MS,
  "Last 30 days": 30 * 24 * HOUR_MS,
} as const;

interface SendAgainProps {
  readonly destination: TraceDestination;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Sends a destination the traces of a past period again. */
export function SendAgain({ destination, onDone, onClose }: SendAgainProps) {
  const wId = useWorkspaceId();
  const sending = useMutation({
    mutationKey: trpc.traceDestinations.pathKey(),
    mutationFn: async (form: FormData) =>
      rpc.traceDestinations.export.mutate({
        wId,
        traceDestinationId: destination.sId,
        from: Date.now() - Number(form.get("period")),
      }),
    onSuccess: onDone,
  });
  return (
    <FormDialog
      title="Send a period again"
      description="Spans keep their ids: collectors that have them already can recognize them."
      submit="Send"
      action={sending}
      onSubmit={(form) => sending.mutate(form)}
      onClose={onClose}
    >
      <SelectField label="Period" name="period" defaultValue={String(periods["Last day"])}>
        {Object.entries(periods).map(([name, ms]) => (
          <option key={name} value={ms}>
            {name}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  );
}
