import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { rpc, trpc } from "../api/clients.ts";
import { pagesOf } from "../api/pages-of.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { CheckList } from "../ui/check-list.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { fromLocalInput, toLocalInput } from "../ui/local-time.ts";
import type { ApiKey } from "./key-state.ts";

/** All spaces of the workspace, up to a thousand. */
export const allSpacesQuery = (wId: string) =>
  queryOptions({
    queryKey: [...trpc.spaces.listAll.pathKey(), "all", wId],
    queryFn: async ({ signal }): Promise<Output<"spaces.listAll">["spaces"]> => {
      const pages = pagesOf((place) => rpc.spaces.listAll.query({ wId, ...place }, { signal }));
      return (await Array.fromAsync(pages)).flatMap(({ spaces }) => spaces);
    },
  });

const roles = {
  user: "user: talks to agents and sees its own conversations",
  builder: "builder: also creates agents, skills, functions and tools",
  admin: "admin: everything in the workspace",
  none: "none: no access until it gets another role",
} as const;

interface KeyFormProps {
  /** The key to change; undefined to create one. */
  readonly apiKey?: ApiKey;
  readonly onDone: (done: { readonly name: string; readonly secret?: string }) => void;
  readonly onClose: () => void;
}

/** Creates a key, or changes the role, spaces and expiry of one. */
export function KeyForm({ apiKey, onDone, onClose }: KeyFormProps) {
  const wId = useWorkspaceId();
  const { data: spaces, error } = useQuery(allSpacesQuery(wId));
  const restricted = spaces?.filter(({ isRestricted }) => isRestricted) ?? [];
  const saving = useMutation({
    mutationKey: trpc.apiKeys.pathKey(),
    mutationFn: async (form: FormData) => {
      const role = roleOf(String(form.get("role")));
      const expiresAt = expiryIn(form);
      // If the spaces could not be read, the key keeps its own.
      const spaceIds = spaces && form.getAll("spaceIds").map(String);
      if (apiKey === undefined) {
        const name = String(form.get("name"));
        const { secret } = await rpc.apiKeys.create.mutate({
          wId,
          name,
          role,
          expiresAt,
          spaceIds,
        });
        return { name, secret };
      }
      const changed = { role, expiresAt: expiresAt ?? null, spaceIds };
      await rpc.apiKeys.update.mutate({ wId, keyId: apiKey.sId, ...changed });
      return { name: apiKey.name };
    },
    onSuccess: onDone,
  });
  return (
    <FormDialog
      title={apiKey === undefined ? "Create key" : `Edit ${apiKey.name}`}
      submit={apiKey === undefined ? "Create" : "Save"}
      action={saving}
      onSubmit={(form) => saving.mutate(form)}
      onClose={onClose}
    >
      {apiKey === undefined && (
        <TextField
          label="Name"
          name="name"
          required
          maxLength={255}
          autoComplete="off"
          hint="The application that uses it, such as “backend”."
        />
      )}
      <SelectField label="Role" name="role" defaultValue={apiKey?.role ?? "user"}>
        {Object.entries(roles).map(([role, words]) => (
          <option key={role} value={role}>
            {words}
          </option>
        ))}
      </SelectField>
      {error ? (
        <ErrorNotice title="The spaces could not be loaded" error={error} />
      ) : (
        <CheckList
          // Mounted again once the spaces are loaded, with those of the key checked.
          key={restricted.length}
          label="Restricted spaces"
          name="spaceIds"
          choices={restricted.map(({ sId, name }) => ({ id: sId, name }))}
          checkedIds={apiKey?.spaceIds ?? []}
          empty={
            spaces ? "No restricted spaces. Every key has access to open spaces." : "Loading …"
          }
        />
      )}
      <ExpiryField at={apiKey?.expiresAt ?? null} />
    </FormDialog>
  );
}

function roleOf(value: string): ApiKey["role"] {
  return value === "admin" || value === "builder" || value === "user" ? value : "none";
}

/** The field for the expiry of a key. */
export function ExpiryField({ at }: { readonly at?: number | null }) {
  return (
    <TextField
      label="Expires"
      name="expiresAt"
      type="datetime-local"
      defaultValue={at === undefined || at === null ? "" : toLocalInput(at)}
      hint="In your time zone. Leave empty for a key that never expires."
    />
  );
}

/** The expiry in a form; undefined for never. */
export function expiryIn(form: FormData): number | undefined {
  return fromLocalInput(String(form.get("expiresAt") ?? ""));
}
