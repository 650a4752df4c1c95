import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useClients } from "../../api/use-session.ts";
import { Page } from "../../ui/page.tsx";
import { useToast } from "../../ui/toast.tsx";
import { type Definition, emptyDraft } from "./draft.ts";
import { FunctionForm } from "./function-form.tsx";

/** Where a function begins. */
export function NewFunctionPage() {
  const { rpc, workspaceId: wId } = useClients();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const say = useToast();
  const creating = useMutation({
    mutationFn: async ({ slug, definition }: { slug: string; definition: Definition }) =>
      rpc.sandboxFunctions.create.mutate({ wId, slug, ...definition }),
    onSuccess: async ({ sandboxFunction: { slug: functionId } }) => {
      say(`${functionId} is created`);
      void queryClient.invalidateQueries({ queryKey: ["functions"] });
      await navigate({ to: "/functions/$functionId", params: { functionId }, ignoreBlocker: true });
    },
  });
  return (
    <Page title="New function">
      <FunctionForm
        initial={emptyDraft}
        isNew
        submitLabel="Create"
        isBusy={creating.isPending}
        refusal={creating.error}
        onSubmit={({ slug }, definition) => creating.mutate({ slug, definition })}
      />
    </Page>
  );
}
