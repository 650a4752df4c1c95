import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Section } from "../ui/section.tsx";
import { useToast } from "../ui/toast.tsx";
import { EnabledModels } from "./enabled-models.tsx";
import { MeaningSettings } from "./meaning-settings.tsx";
import { ModelPrices } from "./model-prices.tsx";
import { UsageCounts } from "./usage-counts.tsx";

/** The settings of the workspace, its models and its usage. */
export function SettingsPage() {
  return (
    <Page title="Settings">
      <WorkspaceSettings />
      <EnabledModels />
      <MeaningSettings />
      <ModelPrices />
      <Usage />
    </Page>
  );
}

function Usage() {
  return (
    <Section title="Usage">
      <UsageCounts wId={useWorkspaceId()} />
    </Section>
  );
}

function WorkspaceSettings() {
  const wId = useWorkspaceId();
  const queryClient = useQueryClient();
  const say = useToast();
  const saving = useMutation(
    trpc.workspaces.update.mutationOptions({
      onSuccess: async () => {
        say("Settings saved");
        // The session contains the name too.
        await queryClient.invalidateQueries();
      },
    }),
  );
  const reading = useQuery(trpc.workspaces.get.queryOptions({ wId }));
  return (
    <Section title="Workspace">
      <Loaded query={reading} label="the settings">
        {(settings) => (
          <form
            className="grid max-w-md gap-4"
            onSubmit={(event) => {
              event.preventDefault();
              const form = new FormData(event.currentTarget);
              saving.mutate({
                wId,
                name: String(form.get("name")),
                region: form.get("region") === "eu" ? "eu" : "us",
                currency: String(form.get("currency")),
                regionalModelsOnly: form.has("regionalModelsOnly"),
                recordsRequests: form.has("recordsRequests"),
              });
            }}
          >
            <TextField
              label="Name"
              name="name"
              required
              maxLength={255}
              autoComplete="off"
              defaultValue={settings.name}
            />
            <SelectField label="Region" name="region" defaultValue={settings.region}>
              <option value="us">United States</option>
              <option value="eu">European Union</option>
            </SelectField>
            <TextField
              label="Currency"
              name="currency"
              required
              maxLength={3}
              autoComplete="off"
              defaultValue={settings.currency}
              hint="Code of the money of prices and budgets. It can change while there are none, and no costs."
            />
            <CheckField
              label="Only models hosted in the region"
              name="regionalModelsOnly"
              defaultChecked={settings.regionalModelsOnly}
            />
            <CheckField
              label="Record what the services of models are sent"
              name="recordsRequests"
              defaultChecked={settings.recordsRequests}
            />
            {saving.error && <ErrorNotice error={saving.error} />}
            <Button
              type="submit"
              variant="primary"
              isBusy={saving.isPending}
              className="justify-self-start"
            >
              Save
            </Button>
          </form>
        )}
      </Loaded>
    </Section>
  );
}
