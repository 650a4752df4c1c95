import { useMutation, useQuery } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { CheckList } from "../ui/check-list.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { CheckField, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";

export type AdministeredSpace = Output<"spaces.listAll">["spaces"][number];

interface SpaceFormProps {
  /** The space to change; undefined to create one. */
  readonly space?: AdministeredSpace;
  readonly onDone: (name: string) => void;
  readonly onClose: () => void;
}

/** Creates a space, or changes its name and the keys with access to it. */
export function SpaceForm({ space, onDone, onClose }: SpaceFormProps) {
  const wId = useWorkspaceId();
  const [isRestricted, setRestricted] = useState(space?.isRestricted ?? false);
  const { data, error } = useQuery(trpc.apiKeys.list.queryOptions({ wId }));
  const usable = data?.apiKeys.filter(({ revokedAt }) => revokedAt === null) ?? [];
  const saving = useMutation({
    mutationKey: trpc.spaces.pathKey(),
    mutationFn: async (form: FormData) => {
      const name = String(form.get("name"));
      // If the keys could not be read, the space keeps its own.
      const keyIds = isRestricted && data ? form.getAll("keyIds").map(String) : undefined;
      const input = { wId, name, isRestricted, keyIds };
      return space === undefined
        ? rpc.spaces.create.mutate(input)
        : rpc.spaces.update.mutate({ ...input, spaceId: space.sId });
    },
    onSuccess: (done) => onDone(done.space.name),
  });
  return (
    <FormDialog
      title={space === undefined ? "Create space" : `Edit ${space.name}`}
      submit={space === undefined ? "Create" : "Save"}
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
        defaultValue={space?.name ?? ""}
      />
      <CheckField
        label="Restricted"
        hint="Only selected keys have access. Open spaces are accessible to all keys."
        checked={isRestricted}
        onChange={(event) => setRestricted(event.target.checked)}
      />
      {isRestricted && error && <ErrorNotice title="The keys could not be loaded" error={error} />}
      {isRestricted && !error && (
        <CheckList
          key={usable.length}
          label="Keys with access"
          name="keyIds"
          choices={usable.map(({ sId, name, role }) => ({ id: sId, name: `${name} (${role})` }))}
          checkedIds={space?.keyIds ?? []}
          empty={data ? "No keys." : "Loading …"}
        />
      )}
    </FormDialog>
  );
}
