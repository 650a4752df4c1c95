import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { trpc } from "../../api/clients.ts";
import { useWorkspaceId } from "../../api/use-session.ts";
import { Page } from "../../ui/page.tsx";
import { useToast } from "../../ui/toast.tsx";
import { emptyDraft } from "./draft.ts";
import { FunctionForm } from "./function-form.tsx";

/** The page that creates a function. */
export function NewFunctionPage() {
  const wId = useWorkspaceId();
  const navigate = useNavigate();
  const say = useToast();
  const creating = useMutation(
    trpc.sandboxFunctions.create.mutationOptions({
      onSuccess: async ({ sandboxFunction: { slug: functionId } }) => {
        say(`${functionId} created`);
        const params = { functionId };
        await navigate({ to: "/functions/$functionId", params, ignoreBlocker: true });
      },
    }),
  );
  return (
    <Page title="New function">
      <FunctionForm
        initial={emptyDraft}
        isNew
        submitLabel="Create"
        isBusy={creating.isPending}
        refusal={creating.error}
        onSubmit={({ slug }, definition) => creating.mutate({ wId, slug, ...definition })}
      />
    </Page>
  );
}
