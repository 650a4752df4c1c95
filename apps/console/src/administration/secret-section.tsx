import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { List } from "../ui/list.tsx";
import type { Reading } from "../ui/loaded.tsx";
import { Section } from "../ui/section.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";

/** A secret without its value. */
export interface ListedSecret {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface SecretSectionProps<Data> {
  readonly title: string;
  /** The noun for one of them, as in “secret”. */
  readonly noun: string;
  readonly query: Reading<Data>;
  readonly rowsOf: (data: Data) => readonly ListedSecret[];
  /** Key of the queries that setting and removing one change. */
  readonly changes: readonly unknown[];
  readonly put: (form: FormData, replaced: ListedSecret | undefined) => Promise<unknown>;
  readonly remove: (secret: ListedSecret) => Promise<unknown>;
  /** The consequence of removing one. */
  readonly consequence: string;
  /** The fields of the form, for a new or a replaced secret. */
  readonly fields: (replaced: ListedSecret | undefined) => ReactNode;
  /** Shown if there are none. */
  readonly empty: ReactNode;
}

/** Secrets of one kind, to set and to remove: their values are never shown. */
export function SecretSection<Data extends object>(props: SecretSectionProps<Data>) {
  const { title, noun, query, rowsOf, changes, put, remove, consequence, fields, empty } = props;
  const [putting, setPutting] = useState<{ readonly replaced?: ListedSecret }>();
  const [removing, setRemoving] = useState<ListedSecret>();
  const say = useToast();
  const saving = useMutation({
    mutationKey: changes,
    mutationFn: async (form: FormData) => put(form, putting?.replaced),
    onSuccess: () => {
      setPutting(undefined);
      say(`Saved the ${noun}`);
    },
  });
  const open = (replaced?: ListedSecret) => {
    saving.reset();
    setPutting(replaced === undefined ? {} : { replaced });
  };
  return (
    <Section
      title={title}
      actions={
        <Button onClick={() => open()}>
          <Icon name="plus" />
          Set {noun}
        </Button>
      }
    >
      <List
        name={title}
        label={title}
        lines={3}
        query={query}
        rowsOf={rowsOf}
        keyOf={({ id }) => id}
        empty={<EmptyState title={`No ${noun}s yet`}>{empty}</EmptyState>}
        columns={{
          Name: ({ name }) => <code className="font-mono">{name}</code>,
          Set: ({ createdAt }) => <Time at={createdAt} />,
          Replaced: ({ createdAt, updatedAt }) =>
            updatedAt === createdAt ? "never" : <Time at={updatedAt} />,
          Actions: (secret) => (
            <span className="flex gap-2">
              <Button isSmall of={secret.name} onClick={() => open(secret)}>
                Replace
              </Button>
              <Button isSmall of={secret.name} onClick={() => setRemoving(secret)}>
                Remove
              </Button>
            </span>
          ),
        }}
      />
      {putting && (
        <FormDialog
          title={putting.replaced ? `Replace ${putting.replaced.name}` : `Set ${noun}`}
          description="Its value is stored encrypted and never shown."
          submit={putting.replaced ? "Replace" : "Set"}
          action={saving}
          onSubmit={(form) => saving.mutate(form)}
          onClose={() => setPutting(undefined)}
        >
          {fields(putting.replaced)}
        </FormDialog>
      )}
      {removing && (
        <ConfirmDialog
          title={`Remove ${noun}`}
          description={`${consequence} Its value cannot be recovered.`}
          word={removing.name}
          changes={changes}
          onClose={() => setRemoving(undefined)}
          onConfirm={async () => {
            await remove(removing);
            say(`${removing.name} removed`);
          }}
        />
      )}
    </Section>
  );
}
