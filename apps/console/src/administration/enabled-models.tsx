import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { useState } from "react";
import { useClients } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Section } from "../ui/section.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, TableRow } from "../ui/table.tsx";
import { useToast } from "../ui/toast.tsx";
import { changeOfModel, credentialOf, keyOf } from "./models.ts";

type ListedModel = Output<"models.list">["models"][number];

/** The models that the server knows, each of which an admin enables or disables. */
export function EnabledModels() {
  const { rpc, workspaceId: wId } = useClients();
  const queryClient = useQueryClient();
  const say = useToast();
  const [isNaming, setNaming] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ["models", wId],
    queryFn: ({ signal }) => rpc.models.list.query({ wId }, { signal }),
  });
  const changing = useMutation({
    mutationFn: async (model: Pick<ListedModel, "providerId" | "modelId" | "isEnabled">) =>
      rpc.workspaces.update.mutate({ wId, ...changeOfModel(model) }),
    onSuccess: async (_settings, model) => {
      setNaming(false);
      say(`${keyOf(model)} is ${model.isEnabled ? "disabled" : "enabled"}`);
      await queryClient.invalidateQueries({ queryKey: ["models"] });
      await queryClient.invalidateQueries({ queryKey: ["agent-choices"] });
    },
  });
  const name = (
    <Button
      onClick={() => {
        changing.reset();
        setNaming(true);
      }}
    >
      Enable another model
    </Button>
  );
  return (
    <Section title="Models" actions={name}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {changing.error && !isNaming && <ErrorNotice error={changing.error} />}
      {!data && !error && <Skeleton label="the models" />}
      {data && (
        <Table label="Models" columns={["Model", "State", "Credential", "Regions", "Actions"]}>
          {data.models.map((model) => (
            <TableRow
              key={keyOf(model)}
              cells={[
                <code className="font-mono text-sm">{keyOf(model)}</code>,
                model.isEnabled ? <Badge tone="good">enabled</Badge> : <Badge>disabled</Badge>,
                credentialOf(model),
                model.regions.join(", "),
                <Button
                  isSmall
                  disabled={changing.isPending}
                  onClick={() => changing.mutate(model)}
                >
                  {model.isEnabled ? "Disable" : "Enable"}
                  <span className="sr-only"> {keyOf(model)}</span>
                </Button>,
              ]}
            />
          ))}
        </Table>
      )}
      {isNaming && (
        <FormDialog
          title="Enable another model"
          description="A model of your own server, such as Ollama or vLLM, is not listed before it is enabled."
          submit="Enable"
          action={changing}
          onSubmit={(form) =>
            changing.mutate({
              providerId: "openai_compatible",
              modelId: String(form.get("modelId")),
              isEnabled: false,
            })
          }
          onClose={() => setNaming(false)}
        >
          <TextField
            label="Model"
            name="modelId"
            required
            maxLength={255}
            autoComplete="off"
            placeholder="llama3.3"
          />
        </FormDialog>
      )}
    </Section>
  );
}
