import { useMutation, useQuery } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { List } from "../ui/list.tsx";
import { Section } from "../ui/section.tsx";
import { useToast } from "../ui/toast.tsx";
import { keyOf } from "./models.ts";

type Price = Output<"prices.list">["prices"][number];

/** The open dialog. */
interface Doing {
  readonly what: "set" | "remove";
  readonly model: Price;
}

/** What a million tokens of the enabled models cost, which admins may set. */
export function ModelPrices() {
  const wId = useWorkspaceId();
  const say = useToast();
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const list = useQuery(trpc.prices.list.queryOptions({ wId }));
  return (
    <Section title="Prices">
      <p className="text-muted">
        For a million tokens, in {list.data?.currency ?? "its currency"}.
      </p>
      <List
        name="Prices"
        query={list}
        rowsOf={({ prices }) => prices}
        keyOf={(price) => keyOf(price)}
        empty={null}
        least={["Cached", "From"]}
        columns={{
          Model: (price) => <code className="font-mono text-sm">{keyOf(price)}</code>,
          Input: ({ price }) => price?.input ?? <Badge tone="warn">no price</Badge>,
          Cached: ({ price }) => price?.cachedInput,
          Output: ({ price }) => price?.output,
          From: From,
          Actions: (model) => (
            <span className="flex gap-2">
              <Button isSmall of={keyOf(model)} onClick={() => setDoing({ what: "set", model })}>
                Set price
              </Button>
              {model.origin === "workspace" && (
                <Button
                  isSmall
                  of={keyOf(model)}
                  onClick={() => setDoing({ what: "remove", model })}
                >
                  Remove price
                </Button>
              )}
            </span>
          ),
        }}
      />
      {doing?.what === "set" && (
        <PriceForm
          model={doing.model}
          onClose={close}
          onDone={() => {
            close();
            say(`The price of ${keyOf(doing.model)} is set`);
          }}
        />
      )}
      {doing?.what === "remove" && (
        <ConfirmDialog
          title="Remove price"
          description="The price of the server’s operators, or the one that is shipped, counts from now on."
          word={doing.model.modelId}
          changes={trpc.prices.pathKey()}
          onClose={close}
          onConfirm={async () => {
            const { providerId, modelId } = doing.model;
            await rpc.prices.remove.mutate({ wId, providerId, modelId });
            say(`The price of ${keyOf(doing.model)} is removed`);
          }}
        />
      )}
    </Section>
  );
}

function From({ origin, source, checkedOn, note }: Price) {
  if (origin === "workspace" || origin === "operator") {
    return (
      <span>
        {origin}
        {note !== null && <span className="block text-sm text-muted">{note}</span>}
      </span>
    );
  }
  if (source === null) return origin === null ? null : "free";
  return (
    <a href={source} className="text-accent hover:underline" rel="noreferrer" target="_blank">
      published, read {checkedOn}
    </a>
  );
}

interface PriceFormProps {
  readonly model: Price;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

const fields = { input: "Input", output: "Output", cachedInput: "Input from a cache" } as const;

/** Sets what a model costs from now on. */
function PriceForm({ model, onDone, onClose }: PriceFormProps) {
  const wId = useWorkspaceId();
  const { providerId, modelId, price } = model;
  const setting = useMutation({
    mutationKey: trpc.prices.pathKey(),
    mutationFn: async (form: FormData) => {
      const textOf = (name: string) => String(form.get(name));
      const optional = (name: string) => (textOf(name) === "" ? undefined : textOf(name));
      return rpc.prices.set.mutate({
        wId,
        providerId,
        modelId,
        input: textOf("input"),
        output: textOf("output"),
        cachedInput: optional("cachedInput"),
        note: optional("note"),
      });
    },
    onSuccess: onDone,
  });
  return (
    <FormDialog
      title={`Price of ${keyOf(model)}`}
      description="For a million tokens, from now on. Amounts of the past stay."
      submit="Set price"
      action={setting}
      onSubmit={(form) => setting.mutate(form)}
      onClose={onClose}
    >
      {Object.entries(fields).map(([name, label]) => (
        <TextField
          key={name}
          label={label}
          name={name}
          required={name !== "cachedInput"}
          inputMode="decimal"
          autoComplete="off"
          defaultValue={price?.[name as keyof typeof fields] ?? ""}
        />
      ))}
      <TextField label="Note" name="note" maxLength={500} autoComplete="off" />
    </FormDialog>
  );
}
