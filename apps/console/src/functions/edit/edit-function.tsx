import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { describeFailure } from "../../api/failures.ts";
import { useClients } from "../../api/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useToast } from "../../ui/toast.tsx";
import { describeMissing, readVersion } from "../versions/read-versions.ts";
import { type Definition, draftOf, type FunctionDraft, type StoredDefinition } from "./draft.ts";
import { FunctionForm } from "./function-form.tsx";

interface EditFunctionProps {
  readonly slug: string;
  /** The version to begin with; undefined for the current one. */
  readonly of: number | undefined;
}

/** The editor of a stored function. What is being written is replaced by no other read. */
export function EditFunction({ slug, of }: EditFunctionProps) {
  const clients = useClients();
  const { data, error, refetch } = useQuery({
    queryKey: ["function-draft", clients.workspaceId, slug, of],
    queryFn: async ({ signal }) => {
      const newest = await readVersion(clients, { functionId: slug }, signal);
      if (newest === undefined || of === undefined || of === newest.version) {
        return { base: newest?.version, shown: newest };
      }
      const shown = await readVersion(clients, { functionId: slug, version: of }, signal);
      return { base: newest.version, shown };
    },
    staleTime: Infinity,
    gcTime: 0,
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton label="the editor" lines={12} />;
  const { base, shown } = data;
  if (shown === undefined || base === undefined) {
    return <p className="text-muted">{describeMissing(of ?? 1, base ?? 0)}</p>;
  }
  return (
    <>
      {shown.version !== base && (
        <p role="status" className="mb-4 rounded-md bg-warn-soft px-4 py-3 text-warn">
          This is version {shown.version}. Saving it makes version {base + 1}, which is used from
          then on.
        </p>
      )}
      <Editor
        key={`${base} ${shown.version}`}
        slug={slug}
        of={of}
        base={base}
        stored={shown}
        onReload={() => void refetch()}
      />
    </>
  );
}

interface EditorProps {
  readonly slug: string;
  readonly of: number | undefined;
  /** The version that the first change is based on. */
  readonly base: number;
  readonly stored: StoredDefinition;
  readonly onReload: () => void;
}

interface Saving {
  readonly draft: FunctionDraft;
  readonly definition: Definition;
}

function Editor({ slug, of, base, stored, onReload }: EditorProps) {
  const { rpc, workspaceId: wId } = useClients();
  const navigate = useNavigate({ from: "/functions/$functionId" });
  const queryClient = useQueryClient();
  const say = useToast();
  const [saved, setSaved] = useState(() => ({ version: base, draft: draftOf(slug, stored) }));
  const saving = useMutation({
    mutationFn: async ({ definition }: Saving) => {
      const { version } = saved;
      const call = { wId, functionId: slug, version };
      return rpc.sandboxFunctions.update.mutate({ ...call, ...definition });
    },
    onSuccess: async ({ sandboxFunction: { version } }, { draft }) => {
      setSaved({ version, draft });
      say(`Saved as version ${version}`);
      void queryClient.invalidateQueries({ queryKey: ["functions"] });
      void queryClient.invalidateQueries({ queryKey: ["function-versions"] });
      void queryClient.invalidateQueries({ queryKey: ["function"] });
      if (of === undefined) return;
      await navigate({ search: { view: "edit" }, replace: true, ignoreBlocker: true });
    },
  });
  const isConflict = saving.isError && describeFailure(saving.error).status === 409;
  return (
    <FunctionForm
      initial={saved.draft}
      isNew={false}
      submitLabel="Save as a new version"
      isBusy={saving.isPending}
      refusal={saving.error}
      onSubmit={(draft, definition) => saving.mutate({ draft, definition })}
    >
      {isConflict && <Button onClick={onReload}>Begin again with the newest version</Button>}
    </FunctionForm>
  );
}
