import { useMutation, useQuery } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { List } from "../ui/list.tsx";
import { Section } from "../ui/section.tsx";
import { useToast } from "../ui/toast.tsx";
import { changeOfModel, credentialOf, keyOf } from "./models.ts";

type ListedModel = Output<"models.list">["models"][number];

/** The models that the server knows, which admins enable and disable. */
export function EnabledModels() {
  const wId = useWorkspaceId();
  const say = useToast();
  const [isNaming, setNaming] = useState(false);
  const changing = useMutation({
    mutationKey: trpc.models.pathKey(),
    mutationFn: async (model: Pick<ListedModel, "providerId" | "modelId" | "isEnabled">) =>
      rpc.workspaces.update.mutate({ wId, ...changeOfModel(model) }),
    onSuccess: (_settings, model) => {
      setNaming(false);
      say(`${keyOf(model)} ${model.isEnabled ? "disabled" : "enabled"}`);
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
  const list = useQuery(trpc.models.list.queryOptions({ wId }));
  return (
    <Section title="Models" actions={name}>
      {changing.error && !isNaming && <ErrorNotice error={changing.error} />}
      <List
        name="Models"
        query={list}
        rowsOf={({ models }) => models}
        keyOf={(model) => keyOf(model)}
        empty={null}
        least={["Regions", "Takes"]}
        columns={{
          Model: (model) => <code className="font-mono text-sm">{keyOf(model)}</code>,
          State: ({ isEnabled }) =>
            isEnabled ? <Badge tone="good">enabled</Badge> : <Badge>disabled</Badge>,
          Credential: credentialOf,
          Regions: ({ regions }) => regions.join(", "),
          Takes: ({ takes }) =>
            takes === null
              ? "as the server's settings say"
              : ["text", ...takes.map(({ kind }) => kind)].join(", "),
          Actions: (model) => (
            <Button
              isSmall
              of={keyOf(model)}
              disabled={changing.isPending}
              onClick={() => changing.mutate(model)}
            >
              {model.isEnabled ? "Disable" : "Enable"}
            </Button>
          ),
        }}
      />
      {isNaming && (
        <FormDialog
          title="Enable another model"
          description="Models on your own server, such as Ollama or vLLM, are listed once you enable them."
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
