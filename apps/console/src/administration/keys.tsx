import { type ReactNode, useState } from "react";
import { StatusBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { ListPage } from "../ui/list.tsx";
import type { Reading } from "../ui/loaded.tsx";
import { SecretDialog } from "../ui/secret-dialog.tsx";
import { type Columns, NameAndId } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { type ApiKey, stateOfKey } from "./key-state.ts";
import { RotateDialog, type Rotated } from "./rotate-dialog.tsx";

type AnyKey = Pick<ApiKey, "sId" | "name" | "createdAt" | "expiresAt" | "revokedAt"> &
  Partial<Pick<ApiKey, "disabledAt">>;

/** The open dialog. */
type Doing<Key> =
  | { readonly what: "create" }
  | { readonly what: "change" | "rotate" | "revoke"; readonly key: Key }
  | { readonly what: "show"; readonly title: string; readonly secret: string; note?: ReactNode };

interface FormProps<Key> {
  /** The key to change; undefined to create one. */
  readonly apiKey?: Key;
  readonly onDone: (done: { readonly name: string; readonly secret?: string }) => void;
  readonly onClose: () => void;
}

interface KeysProps<Data, Key> {
  readonly name: string;
  /** The noun for one of them, as in “key”. */
  readonly noun: string;
  readonly query: Reading<Data>;
  readonly rowsOf: (data: Data) => readonly Key[];
  readonly empty: ReactNode;
  readonly after?: string | undefined;
  readonly above?: ReactNode;
  /** The columns that only these keys have. */
  readonly columns?: Columns<Key>;
  /** The actions on a key that is not revoked. */
  readonly actionsOf: (
    key: Key,
    start: (what: "change" | "rotate" | "revoke") => void,
  ) => ReactNode;
  readonly Form: (props: FormProps<Key>) => ReactNode;
  /** Further fields of the dialogs that rotate and revoke. */
  readonly fields?: ReactNode;
  readonly rotate: (key: Key, overlapSeconds: number, form: FormData) => Promise<Rotated>;
  readonly revoke: (key: Key, form: FormData) => Promise<unknown>;
  /** Describes the consequence of revoking one. */
  readonly consequence: (name: string) => string;
  /** Key of the queries that revoking one changes. */
  readonly changes: readonly unknown[];
}

/** Keys of one kind, with their actions; each secret is shown once. */
export function Keys<Data extends object, Key extends AnyKey>(props: KeysProps<Data, Key>) {
  const { name, noun, columns, actionsOf, Form, fields, ...rest } = props;
  const { rotate, revoke, consequence, changes, ...list } = rest;
  const say = useToast();
  const [doing, setDoing] = useState<Doing<Key>>();
  const close = () => setDoing(undefined);
  return (
    <ListPage
      {...list}
      name={name}
      keyOf={({ sId }) => sId}
      actions={
        <Button variant="primary" onClick={() => setDoing({ what: "create" })}>
          <Icon name="plus" />
          Create key
        </Button>
      }
      least={["Created"]}
      columns={{
        Name: NameAndId,
        ...columns,
        State: (key) => <StatusBadge status={stateOfKey(key, Date.now())} />,
        Created: ({ createdAt }) => <Time at={createdAt} />,
        Expires: ({ expiresAt }) => (expiresAt === null ? "never" : <Time at={expiresAt} />),
        Actions: (key) =>
          key.revokedAt === null && actionsOf(key, (what) => setDoing({ what, key })),
      }}
    >
      {(doing?.what === "create" || doing?.what === "change") && (
        <Form
          {...(doing.what === "change" && { apiKey: doing.key })}
          onClose={close}
          onDone={(done) => {
            if (done.secret === undefined) {
              close();
              say(`${done.name} saved`);
            } else {
              setDoing({ what: "show", title: `New ${noun}: ${done.name}`, secret: done.secret });
            }
          }}
        />
      )}
      {doing?.what === "rotate" && (
        <RotateDialog
          name={doing.key.name}
          rotate={async (overlapSeconds, form) => rotate(doing.key, overlapSeconds, form)}
          onRotate={({ secret, previousSecretExpiresAt }) =>
            setDoing({
              what: "show",
              title: `New secret for ${doing.key.name}`,
              secret,
              note: (
                <p>
                  The previous secret stops working on <Time at={previousSecretExpiresAt} />.
                </p>
              ),
            })
          }
          onClose={close}
        >
          {fields}
        </RotateDialog>
      )}
      {doing?.what === "revoke" && (
        <ConfirmDialog
          title={`Revoke ${noun}`}
          description={consequence(doing.key.name)}
          word={doing.key.name}
          changes={changes}
          onClose={close}
          onConfirm={async (form) => {
            await revoke(doing.key, form);
            say(`${doing.key.name} revoked`);
          }}
        >
          {fields}
        </ConfirmDialog>
      )}
      {doing?.what === "show" && (
        <SecretDialog title={doing.title} secret={doing.secret} onClose={close}>
          {doing.note}
        </SecretDialog>
      )}
    </ListPage>
  );
}
