import { webhookSummaries } from "@parley/schema/webhook-summaries";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { Input } from "parley-client";
import { type NamedId, readAgentsAndFunctions } from "../api/agents-and-functions.ts";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { CheckList } from "../ui/check-list.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { CheckField, TextArea, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import type { Webhook } from "./states.ts";

type Created = Input<"webhooks.create">;

const events: readonly NamedId[] = Object.entries(webhookSummaries).map(([id, summary]) => ({
  id,
  name: `${summary} (${id})`,
}));

interface WebhookFormProps {
  /** The webhook to change; undefined to create one. */
  readonly webhook?: Webhook;
  readonly onDone: (done: { readonly webhook: Webhook; readonly secret?: string }) => void;
  readonly onClose: () => void;
}

/** Creates a webhook, or changes what it is told of, and where. */
export function WebhookForm({ webhook, onDone, onClose }: WebhookFormProps) {
  const wId = useWorkspaceId();
  const { data: choices, error } = useChoices();
  const saving = useMutation({
    mutationKey: trpc.webhooks.pathKey(),
    mutationFn: async (form: FormData) => {
      const settings = {
        wId,
        url: String(form.get("url")),
        description: String(form.get("description")),
        // The choices are those of the table.
        events: form.getAll("events") as Created["events"],
        conversationIds: idsIn(String(form.get("conversationIds")).split(/\s+/)),
        // If the agents and functions could not be read, the webhook keeps its own.
        ...(choices !== undefined && {
          agentIds: idsIn(form.getAll("agentIds").map(String)),
          functionIds: idsIn(form.getAll("functionIds").map(String)),
        }),
        sendsContent: form.has("sendsContent"),
        isOrdered: form.has("isOrdered"),
        includesTasks: form.has("includesTasks"),
      };
      if (webhook === undefined) return rpc.webhooks.create.mutate(settings);
      const { sId: webhookId, version } = webhook;
      return rpc.webhooks.update.mutate({ ...settings, webhookId, version });
    },
    onSuccess: onDone,
  });
  return (
    <FormDialog
      title={webhook === undefined ? "Create webhook" : "Edit webhook"}
      submit={webhook === undefined ? "Create" : "Save"}
      action={saving}
      onSubmit={(form) => saving.mutate(form)}
      onClose={onClose}
    >
      <TextField
        label="URL"
        name="url"
        type="url"
        required
        maxLength={2048}
        autoComplete="off"
        defaultValue={webhook?.url ?? ""}
        hint="Where events are sent, with POST."
      />
      <TextField
        label="Description"
        name="description"
        maxLength={1024}
        autoComplete="off"
        defaultValue={webhook?.description ?? ""}
      />
      <CheckList
        label="Events"
        name="events"
        choices={events}
        checkedIds={webhook?.events ?? []}
        empty=""
      />
      {error ? (
        <ErrorNotice title="The agents and functions could not be loaded" error={error} />
      ) : (
        <>
          <Only
            what="agents"
            name="agentIds"
            choices={choices?.agents}
            checkedIds={webhook?.agentIds ?? []}
          />
          <Only
            what="functions"
            name="functionIds"
            choices={choices?.functions}
            checkedIds={webhook?.functionIds ?? []}
          />
        </>
      )}
      <TextArea
        label="Only these conversations"
        name="conversationIds"
        rows={2}
        className="font-mono text-sm"
        defaultValue={webhook?.conversationIds?.join("\n") ?? ""}
        hint="Their ids, one in a line. Leave empty for all."
      />
      <CheckField
        label="Send the event itself"
        name="sendsContent"
        hint="Such as the text of an answer. Otherwise only the ids of what it is about are sent."
        defaultChecked={webhook?.sendsContent ?? false}
      />
      <CheckField
        label="Keep the order of a conversation"
        name="isOrdered"
        hint="Each event waits until the one before it was delivered or given up."
        defaultChecked={webhook?.isOrdered ?? false}
      />
      <CheckField
        label="Include tasks of agents"
        name="includesTasks"
        hint="What happens in the tasks that agents give to others, too."
        defaultChecked={webhook?.includesTasks ?? false}
      />
    </FormDialog>
  );
}

/** A filter without an id is none. */
function idsIn(ids: readonly string[]): string[] | null {
  const given = ids.filter((id) => id !== "");
  return given.length === 0 ? null : given;
}

interface OnlyProps {
  readonly what: string;
  readonly name: string;
  /** Undefined until they are loaded. */
  readonly choices: readonly NamedId[] | undefined;
  readonly checkedIds: readonly string[];
}

/** A filter; it may name what is not listed any more, such as an archived agent. */
function Only({ what, name, choices = [], checkedIds }: OnlyProps) {
  const others = checkedIds.filter((id) => !choices.some((choice) => choice.id === id));
  return (
    <CheckList
      // Mounted again once they are loaded, with those of the webhook checked.
      key={choices.length}
      label={`Only these ${what}; none for all`}
      name={name}
      choices={[...choices, ...others.map((id) => ({ id, name: id }))]}
      checkedIds={checkedIds}
      empty={`No ${what}.`}
    />
  );
}

function useChoices() {
  const wId = useWorkspaceId();
  return useQuery({
    queryKey: [...trpc.agents.list.pathKey(), "and functions", wId],
    queryFn: async ({ signal }) => readAgentsAndFunctions(wId, signal),
    staleTime: 30_000,
  });
}
