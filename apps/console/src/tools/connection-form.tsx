import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { useToast } from "../ui/toast.tsx";
import { AuthFields } from "./auth-fields.tsx";
import { LimitFields, readLimits, StakeOptions, type Stake, stakeOf } from "./limit-fields.tsx";
import { type AuthKind, readAuth } from "./read-auth.ts";
import { type Connected, toolQuery } from "./read-tool.ts";

/** Changes how the tools of a remote server are called. */
export function ConnectionForm({ shown }: { readonly shown: Connected }) {
  const { tool, version, connection } = shown;
  const wId = useWorkspaceId();
  const queryClient = useQueryClient();
  const say = useToast();
  const [kind, setKind] = useState<AuthKind>();
  const names = tool.server.tools.map(({ name }) => name);
  const saving = useMutation({
    mutationKey: trpc.tools.pathKey(),
    mutationFn: async (form: FormData) => {
      const url = String(form.get("url")).trim();
      return rpc.tools.updateConnection.mutate({
        wId,
        toolId: tool.sId,
        version,
        ...(url !== connection.url && { url }),
        ...readLimits(form),
        stakes: stakesIn(form, names),
        retryableTools: form.getAll("retryable").map(String),
        ...(kind !== undefined && readAuth(form, kind)),
      });
    },
    onSuccess: (changed) => {
      setKind(undefined);
      queryClient.setQueryData(toolQuery(wId, tool.sId).queryKey, changed);
      say("Connection saved");
    },
  });
  return (
    <form
      className="grid max-w-2xl gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate(new FormData(event.currentTarget));
      }}
    >
      <TextField label="URL" name="url" type="url" required defaultValue={connection.url} />
      <AuthFields kind={kind} onChange={setKind} canKeep />
      <LimitFields connection={connection} />
      {names.length > 0 && (
        <fieldset className="grid gap-3">
          <legend className="mb-1 font-medium">Per-tool settings</legend>
          {names.map((name) => (
            <div key={name} className="grid items-end gap-2 sm:grid-cols-2">
              <SelectField
                label={`Approval for ${name}`}
                name={`stake ${name}`}
                defaultValue={connection.stakes[name] ?? ""}
              >
                <option value="">Same as default</option>
                <StakeOptions />
              </SelectField>
              <CheckField
                label={`Retry interrupted calls of ${name}`}
                name="retryable"
                value={name}
                defaultChecked={connection.retryableTools.includes(name)}
              />
            </div>
          ))}
        </fieldset>
      )}
      {saving.isError && <ErrorNotice error={saving.error} />}
      <Button
        type="submit"
        variant="primary"
        className="justify-self-start"
        isBusy={saving.isPending}
      >
        Save connection
      </Button>
    </form>
  );
}

/** The stakes of single tools. */
function stakesIn(form: FormData, names: readonly string[]): Record<string, Stake> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const stake = stakeOf(form.get(`stake ${name}`));
      return stake === undefined ? [] : [[name, stake] as const];
    }),
  );
}
