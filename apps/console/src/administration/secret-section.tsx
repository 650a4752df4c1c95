import { useMutation, type UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { Section } from "../ui/section.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, TableRow } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";

/** A secret without its value. */
export interface ListedSecret {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface SecretSectionProps {
  readonly title: string;
  /** What one is called, as in “secret”. */
  readonly noun: string;
  readonly list: UseQueryResult<readonly ListedSecret[]>;
  readonly put: (form: FormData, replaced: ListedSecret | undefined) => Promise<unknown>;
  readonly remove: (secret: ListedSecret) => Promise<unknown>;
  /** What happens to what uses it. */
  readonly consequence: string;
  /** The fields of the form; those of a new one, or of one that is replaced. */
  readonly fields: (replaced: ListedSecret | undefined) => ReactNode;
  /** What to do while there are none. */
  readonly empty: ReactNode;
}

/** Secrets of one kind, to set and to remove: their values are never shown. */
export function SecretSection(props: SecretSectionProps) {
  const { title, noun, list, put, remove, consequence, fields, empty } = props;
  const [putting, setPutting] = useState<{ readonly replaced?: ListedSecret }>();
  const [removing, setRemoving] = useState<ListedSecret>();
  const say = useToast();
  const { data, error, refetch } = list;
  const saving = useMutation({
    mutationFn: async (form: FormData) => put(form, putting?.replaced),
    onSuccess: async () => {
      setPutting(undefined);
      say(`The ${noun} is set`);
      await refetch();
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
          Set a {noun}
        </Button>
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label={title} lines={3} />}
      {data?.length === 0 && <EmptyState title={`There is no ${noun} yet`}>{empty}</EmptyState>}
      {data && data.length > 0 && (
        <Table label={title} columns={["Name", "Set", "Replaced", "Actions"]}>
          {data.map((secret) => (
            <TableRow
              key={secret.id}
              cells={[
                <code className="font-mono">{secret.name}</code>,
                <Time at={secret.createdAt} />,
                secret.updatedAt === secret.createdAt ? "never" : <Time at={secret.updatedAt} />,
                <span className="flex gap-2">
                  <Button isSmall onClick={() => open(secret)}>
                    Replace<span className="sr-only"> {secret.name}</span>
                  </Button>
                  <Button isSmall onClick={() => setRemoving(secret)}>
                    Remove<span className="sr-only"> {secret.name}</span>
                  </Button>
                </span>,
              ]}
            />
          ))}
        </Table>
      )}
      {putting && (
        <FormDialog
          title={putting.replaced ? `Replace ${putting.replaced.name}` : `Set a ${noun}`}
          description="Its value is kept encrypted, and shown to nobody."
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
          title={`Remove the ${noun}`}
          description={`${consequence} Its value cannot be read again.`}
          word={removing.name}
          onClose={() => setRemoving(undefined)}
          onConfirm={async () => {
            await remove(removing);
            say(`${removing.name} is removed`);
            await refetch();
          }}
        />
      )}
    </Section>
  );
}
