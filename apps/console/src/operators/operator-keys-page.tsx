import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { Output } from "parley-client";
import { type ReactNode, useState } from "react";
import { stateOfKey } from "../administration/read-keys.ts";
import { RotateDialog } from "../administration/rotate-dialog.tsx";
import { rpc } from "../api/clients.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { CheckField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { SecretDialog } from "../ui/secret-dialog.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, TableRow } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { OperatorKeyForm } from "./operator-key-form.tsx";

type OperatorKey = Output<"operatorKeys.list">["operatorKeys"][number];

/** What is done with keys at the moment. */
type Doing =
  | { readonly what: "create" }
  | { readonly what: "rotate" | "revoke"; readonly key: OperatorKey }
  | { readonly what: "show"; readonly title: string; readonly secret: string; note?: ReactNode };

/** The keys of the server's operators. */
export function OperatorKeysPage() {
  const { after } = useSearch({ from: "/session/operator-keys" });
  const queryClient = useQueryClient();
  const say = useToast();
  const [doing, setDoing] = useState<Doing>();
  const { data, error, refetch } = useQuery({
    queryKey: ["operator-keys", after],
    queryFn: ({ signal }) =>
      rpc.operatorKeys.list.query(after === undefined ? {} : { lastValue: after }, { signal }),
  });
  const close = () => setDoing(undefined);
  const reload = async () => queryClient.invalidateQueries({ queryKey: ["operator-keys"] });
  return (
    <Page
      title="Operator keys"
      actions={
        <Button variant="primary" onClick={() => setDoing({ what: "create" })}>
          <Icon name="plus" />
          Create a key
        </Button>
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="the operator keys" />}
      {data && (
        <Table label="Operator keys" columns={["Name", "State", "Created", "Expires", "Actions"]}>
          {data.operatorKeys.map((key) => (
            <TableRow
              key={key.sId}
              cells={[
                <span>
                  <span className="font-medium">{key.name}</span>
                  <code className="block font-mono text-sm whitespace-nowrap text-muted">
                    {key.sId}
                  </code>
                </span>,
                <StatusBadge status={stateOfKey(key, Date.now())} />,
                <Time at={key.createdAt} />,
                key.expiresAt === null ? "never" : <Time at={key.expiresAt} />,
                key.revokedAt === null && (
                  <span className="flex gap-2">
                    <Button isSmall onClick={() => setDoing({ what: "rotate", key })}>
                      Rotate<span className="sr-only"> {key.name}</span>
                    </Button>
                    <Button isSmall onClick={() => setDoing({ what: "revoke", key })}>
                      Revoke<span className="sr-only"> {key.name}</span>
                    </Button>
                  </span>
                ),
              ]}
            />
          ))}
        </Table>
      )}
      {data && <Pager after={after} next={data.hasMore ? data.lastValue : null} />}
      {doing?.what === "create" && (
        <OperatorKeyForm
          onClose={close}
          onCreate={(name, secret) => {
            setDoing({ what: "show", title: `The operator key ${name}`, secret });
            void reload();
          }}
        />
      )}
      {doing?.what === "rotate" && (
        <RotateDialog
          name={doing.key.name}
          rotate={async (overlapSeconds, form) =>
            rpc.operatorKeys.rotate.mutate({
              keyId: doing.key.sId,
              overlapSeconds,
              evenIfLast: isLastAllowed(form),
            })
          }
          onRotate={({ secret, previousSecretExpiresAt }) =>
            setDoing({
              what: "show",
              title: `The new secret of ${doing.key.name}`,
              secret,
              note: (
                <p>
                  The secret before is refused from <Time at={previousSecretExpiresAt} /> on.
                </p>
              ),
            })
          }
          onClose={close}
        >
          <EvenIfLast />
        </RotateDialog>
      )}
      {doing?.what === "revoke" && (
        <ConfirmDialog
          title="Revoke the operator key"
          description={`${doing.key.name} is refused within seconds, with its sessions. This cannot be undone.`}
          word={doing.key.name}
          onClose={close}
          onConfirm={async (form) => {
            const keyId = doing.key.sId;
            await rpc.operatorKeys.revoke.mutate({ keyId, evenIfLast: isLastAllowed(form) });
            say(`${doing.key.name} is revoked`);
            await reload();
          }}
        >
          <EvenIfLast />
        </ConfirmDialog>
      )}
      {doing?.what === "show" && (
        <SecretDialog title={doing.title} secret={doing.secret} onClose={close}>
          {doing.note}
        </SecretDialog>
      )}
    </Page>
  );
}

/** Whether to do it although no other key can be used, in a form. */
function EvenIfLast() {
  return (
    <CheckField
      label="Even if no other operator key can be used"
      name="evenIfLast"
      hint="Only the command line makes another one then: parley keys bootstrap."
    />
  );
}

function isLastAllowed(form: FormData): boolean {
  return form.get("evenIfLast") !== null;
}
