import { webhookSummaries } from "@parley/schema/webhook-summaries";
import { useMutation } from "@tanstack/react-query";
import type { Input } from "parley-client";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { SelectField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { useToast } from "../ui/toast.tsx";
import type { Webhook } from "./states.ts";

interface SendSampleProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** Sends a webhook a sample of an event, which is then among its deliveries. */
export function SendSample({ webhook, onClose }: SendSampleProps) {
  const wId = useWorkspaceId();
  const say = useToast();
  const sending = useMutation({
    mutationKey: trpc.webhooks.listDeliveries.pathKey(),
    mutationFn: async (form: FormData) =>
      rpc.webhooks.test.mutate({
        wId,
        webhookId: webhook.sId,
        // The options are those of the table.
        event: String(form.get("event")) as NonNullable<Input<"webhooks.test">["event"]>,
      }),
    onSuccess: () => {
      onClose();
      say("Sample queued");
    },
  });
  return (
    <FormDialog
      title="Send a sample"
      description="The event has ids of things that do not exist, and says that it is a sample."
      submit="Send"
      action={sending}
      onSubmit={(form) => sending.mutate(form)}
      onClose={onClose}
    >
      <SelectField label="Event" name="event" defaultValue={webhook.events[0] ?? ""}>
        {Object.entries(webhookSummaries).map(([event, summary]) => (
          <option key={event} value={event}>
            {event}: {summary}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  );
}
