import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useClients } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { Page } from "../ui/page.tsx";
import { Section } from "../ui/section.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useToast } from "../ui/toast.tsx";
import { EnabledModels } from "./enabled-models.tsx";
import { UsageCounts } from "./usage-counts.tsx";

/** The settings of the workspace, which models its agents may use, and what it holds. */
export function SettingsPage() {
  return (
    <Page title="Settings">
      <WorkspaceSettings />
      <EnabledModels />
      <Usage />
    </Page>
  );
}

function Usage() {
  const { workspaceId: wId } = useClients();
  return (
    <Section title="Usage">
      <UsageCounts wId={wId} />
    </Section>
  );
}

function WorkspaceSettings() {
  const { rpc, workspaceId: wId } = useClients();
  const queryClient = useQueryClient();
  const say = useToast();
  const { data, error, refetch } = useQuery({
    queryKey: ["settings", wId],
    queryFn: ({ signal }) => rpc.workspaces.get.query({ wId }, { signal }),
  });
  const saving = useMutation({
    mutationFn: async (form: FormData) =>
      rpc.workspaces.update.mutate({
        wId,
        name: String(form.get("name")),
        region: form.get("region") === "eu" ? "eu" : "us",
        regionalModelsOnly: form.has("regionalModelsOnly"),
      }),
    onSuccess: async () => {
      say("Settings saved");
      // The session has the name too.
      await queryClient.invalidateQueries();
    },
  });
  return (
    <Section title="Workspace">
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="the settings" />}
      {data && (
        <form
          className="grid max-w-md gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            saving.mutate(new FormData(event.currentTarget));
          }}
        >
          <TextField
            label="Name"
            name="name"
            required
            maxLength={255}
            autoComplete="off"
            defaultValue={data.name}
          />
          <SelectField label="Region" name="region" defaultValue={data.region}>
            <option value="us">United States</option>
            <option value="eu">European Union</option>
          </SelectField>
          <CheckField
            label="Only models of the region"
            name="regionalModelsOnly"
            defaultChecked={data.regionalModelsOnly}
          />
          {saving.error && <ErrorNotice error={saving.error} />}
          <Button type="submit" variant="primary" isBusy={saving.isPending}>
            Save
          </Button>
        </form>
      )}
    </Section>
  );
}
