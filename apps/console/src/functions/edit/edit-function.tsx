import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { rpc, trpc } from "../../api/clients.ts";
import { describeFailure } from "../../api/failures.ts";
import { useWorkspaceId } from "../../api/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { useToast } from "../../ui/toast.tsx";
import { describeMissing, readVersion } from "./read-versions.ts";
import { type Definition, draftOf, type FunctionDraft, type StoredDefinition } from "./draft.ts";
import { FunctionForm } from "./function-form.tsx";

interface EditFunctionProps {
  readonly slug: string;
  /** The version to edit; undefined for the current one. */
  readonly of: number | undefined;
}

/** The editor of a stored function. Refreshes never replace unsaved edits. */
export function EditFunction({ slug, of }: EditFunctionProps) {
  const wId = useWorkspaceId();
  // Not the key of a procedure: it is read again only if the user asks for it.
  const reading = useQuery({
    queryKey: ["function-draft", wId, slug, of],
    queryFn: async ({ signal }) => {
      const newest = await readVersion({ wId, functionId: slug }, signal);
      if (newest === undefined || of === undefined || of === newest.version) {
        return { base: newest?.version, shown: newest };
      }
      const shown = await readVersion({ wId, functionId: slug, version: of }, signal);
      return { base: newest.version, shown };
    },
    staleTime: Infinity,
    gcTime: 0,
  });
  if (!reading.data) return <Loaded query={reading} label="the editor" lines={12} />;
  const { base, shown } = reading.data;
  if (shown === undefined || base === undefined) {
    return <p className="text-muted">{describeMissing(of ?? 1, base ?? 0)}</p>;
  }
  return (
    <>
      <Loaded query={reading} label="the editor" />
      {shown.version !== base && (
        <p role="status" className="mb-4 rounded-md bg-warn-soft px-4 py-3 text-warn">
          You are editing version {shown.version}. Saving creates version {base + 1}, which takes
          effect at once.
        </p>
      )}
      <Editor
        key={`${base} ${shown.version}`}
        slug={slug}
        of={of}
        base={base}
        stored={shown}
        onReload={() => void reading.refetch()}
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
  const wId = useWorkspaceId();
  const navigate = useNavigate({ from: "/functions/$functionId" });
  const say = useToast();
  const [saved, setSaved] = useState(() => ({ version: base, draft: draftOf(slug, stored) }));
  const saving = useMutation({
    mutationKey: trpc.sandboxFunctions.pathKey(),
    mutationFn: async ({ definition }: Saving) => {
      const { version } = saved;
      const call = { wId, functionId: slug, version };
      return rpc.sandboxFunctions.update.mutate({ ...call, ...definition });
    },
    onSuccess: async ({ sandboxFunction: { version } }, { draft }) => {
      setSaved({ version, draft });
      say(`Saved as version ${version}`);
      if (of === undefined) return;
      await navigate({ search: { view: "edit" }, replace: true, ignoreBlocker: true });
    },
  });
  const isConflict = saving.isError && describeFailure(saving.error).status === 409;
  return (
    <FunctionForm
      initial={saved.draft}
      isNew={false}
      submitLabel="Save version"
      isBusy={saving.isPending}
      refusal={saving.error}
      onSubmit={(draft, definition) => saving.mutate({ draft, definition })}
    >
      {isConflict && <Button onClick={onReload}>Load newest version</Button>}
    </FunctionForm>
  );
}
