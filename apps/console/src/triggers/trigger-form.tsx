import { useMutation } from "@tanstack/react-query";
import type { Input, Output } from "parley-client";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { SelectField, TextArea, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { MappingFields, mappingIn } from "./mapping-fields.tsx";
import { sourceNames, type Trigger } from "./states.ts";

interface CreateProps {
  readonly onDone: (created: Output<"triggers.create">) => void;
  readonly onClose: () => void;
}

type Source = Input<"triggers.create">["source"];

/** A source of a type; the secret of an HMAC is in a header that the form names. */
const sourceOf = (type: Trigger["source"]["type"], form: FormData): Source =>
  type === "hmac" ? { type, header: String(form.get("header")) } : { type };

/** What is started: an agent or a function, by its id. */
function targetIn(form: FormData) {
  const id = String(form.get("target"));
  return form.get("starts") === "agent"
    ? { agent: { agentId: id } }
    : { function: { functionId: id } };
}

function describedIn(form: FormData) {
  const keyExpression = String(form.get("keyExpression"));
  return {
    name: String(form.get("name")),
    description: String(form.get("description")),
    mapping: mappingIn(form),
    keyExpression: keyExpression === "" ? null : keyExpression,
    ...targetIn(form),
  };
}

/** Creates a trigger. */
export function TriggerForm({ onDone, onClose }: CreateProps) {
  const wId = useWorkspaceId();
  const [type, setType] = useState<Trigger["source"]["type"]>("github");
  const creating = useMutation({
    mutationKey: trpc.triggers.pathKey(),
    mutationFn: async (form: FormData) =>
      rpc.triggers.create.mutate({ wId, ...describedIn(form), source: sourceOf(type, form) }),
    onSuccess: onDone,
  });
  return (
    <FormDialog
      title="Create trigger"
      submit="Create"
      action={creating}
      onSubmit={(form) => creating.mutate(form)}
      onClose={onClose}
    >
      <SelectField
        label="Source"
        value={type}
        onChange={({ target: { value } }) => setType(value as typeof type)}
      >
        {Object.entries(sourceNames).map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </SelectField>
      {type === "hmac" && (
        <TextField
          label="Header"
          name="header"
          required
          autoComplete="off"
          hint="It has the HMAC of the body, with SHA-256, in hex."
        />
      )}
      <Described />
    </FormDialog>
  );
}

interface EditProps {
  readonly trigger: Trigger;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Changes what a trigger starts and how. */
export function EditTrigger({ trigger, onDone, onClose }: EditProps) {
  const wId = useWorkspaceId();
  const { sId: triggerId, version } = trigger;
  const saving = useMutation({
    mutationKey: trpc.triggers.pathKey(),
    mutationFn: async (form: FormData) => {
      const { agent, function: invoked, ...described } = { ...noTarget, ...describedIn(form) };
      // What the form does not show of a target stays while the target does.
      const isSame =
        (agent?.agentId ?? invoked?.functionId) ===
        (trigger.agent?.agentId ?? trigger.function?.functionId);
      const target = isSame ? {} : { agent, function: invoked };
      return rpc.triggers.update.mutate({ wId, triggerId, version, ...described, ...target });
    },
    onSuccess: onDone,
  });
  return (
    <FormDialog
      title="Edit trigger"
      submit="Save"
      action={saving}
      onSubmit={(form) => saving.mutate(form)}
      onClose={onClose}
    >
      <Described trigger={trigger} />
    </FormDialog>
  );
}

const noTarget: {
  agent?: { agentId: string };
  function?: { functionId: string };
} = {};

function Described({ trigger }: { readonly trigger?: Trigger }) {
  return (
    <>
      <TextField
        label="Name"
        name="name"
        required
        maxLength={255}
        autoComplete="off"
        defaultValue={trigger?.name ?? ""}
      />
      <TextField
        label="Description"
        name="description"
        maxLength={1024}
        autoComplete="off"
        defaultValue={trigger?.description ?? ""}
      />
      <SelectField
        label="Starts"
        name="starts"
        defaultValue={trigger?.function === null || trigger === undefined ? "agent" : "function"}
      >
        <option value="agent">An agent</option>
        <option value="function">A function</option>
      </SelectField>
      <TextField
        label="Agent or function"
        name="target"
        required
        maxLength={255}
        autoComplete="off"
        defaultValue={trigger?.agent?.agentId ?? trigger?.function?.functionId ?? ""}
        hint="Its id, or the slug of a function."
      />
      <MappingFields mapping={trigger?.mapping ?? null} />
      <TextArea
        label="Key expression"
        name="keyExpression"
        rows={1}
        className="font-mono text-sm"
        defaultValue={trigger?.keyExpression ?? ""}
        hint="JSONata that gives the key of an event, if its source sends none. Of events with one key, the first counts."
      />
    </>
  );
}
