import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useClients } from "../api/use-session.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { CheckField, TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { Page } from "../ui/page.tsx";
import { SecretDialog } from "../ui/secret-dialog.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, TableRow } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { KeyForm } from "./key-form.tsx";
import { type ApiKey, allSpacesQuery, keysQuery, stateOfKey } from "./read-keys.ts";
import { RotateDialog } from "./rotate-dialog.tsx";

/** What is done with keys at the moment. */
type Doing =
  | { readonly what: "create" }
  | { readonly what: "change" | "rotate" | "revoke"; readonly apiKey: ApiKey }
  | { readonly what: "show"; readonly title: string; readonly secret: string; note?: ReactNode };

/** The keys of the workspace, and what can be done with them. */
export function KeysPage() {
  const clients = useClients();
  const { rpc, workspaceId: wId } = clients;
  const search = useSearch({ from: "/session/keys" });
  const queryClient = useQueryClient();
  const say = useToast();
  const [doing, setDoing] = useState<Doing>();
  const { data, error, refetch } = useQuery(keysQuery(clients));
  const shown = data?.filter(
    ({ name, revokedAt }) =>
      (search.show === "all" || revokedAt === null) &&
      name.toLowerCase().includes((search.q ?? "").toLowerCase()),
  );
  const close = () => setDoing(undefined);
  const reload = async () => queryClient.invalidateQueries({ queryKey: ["keys"] });
  const disabling = useMutation({
    mutationFn: async ({ sId: keyId, disabledAt }: ApiKey) =>
      rpc.apiKeys.update.mutate({ wId, keyId, disabled: disabledAt === null }),
    onSuccess: async ({ apiKey: { name, disabledAt } }) => {
      say(disabledAt === null ? `${name} is enabled` : `${name} is disabled`);
      await reload();
    },
  });
  return (
    <Page
      title="Keys"
      actions={
        <Button variant="primary" onClick={() => setDoing({ what: "create" })}>
          <Icon name="plus" />
          Create a key
        </Button>
      }
    >
      <Filters />
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {disabling.isError && <ErrorNotice error={disabling.error} />}
      {!data && !error && <Skeleton label="the keys" />}
      {shown?.length === 0 && (
        <EmptyState title="No key matches">
          <p className="text-muted">Change the name, or show the revoked keys too.</p>
        </EmptyState>
      )}
      {shown && shown.length > 0 && (
        <Table
          label="Keys"
          columns={["Name", "Role", "Spaces", "State", "Created", "Expires", "Actions"]}
        >
          {shown.map((apiKey) => (
            <KeyRow
              key={apiKey.sId}
              apiKey={apiKey}
              onChoose={(what) =>
                what === "disable" ? disabling.mutate(apiKey) : setDoing({ what, apiKey })
              }
            />
          ))}
        </Table>
      )}
      {(doing?.what === "create" || doing?.what === "change") && (
        <KeyForm
          {...(doing.what === "change" && { apiKey: doing.apiKey })}
          onClose={close}
          onDone={({ name, secret }) => {
            void reload();
            if (secret === undefined) {
              close();
              say(`${name} is changed`);
            } else setDoing({ what: "show", title: `The key ${name}`, secret });
          }}
        />
      )}
      {doing?.what === "rotate" && (
        <RotateDialog
          name={doing.apiKey.name}
          rotate={async (overlapSeconds) =>
            rpc.apiKeys.rotate.mutate({ wId, keyId: doing.apiKey.sId, overlapSeconds })
          }
          onRotate={({ secret, previousSecretExpiresAt }) =>
            setDoing({
              what: "show",
              title: `The new secret of ${doing.apiKey.name}`,
              secret,
              note: (
                <p>
                  The secret before is refused from <Time at={previousSecretExpiresAt} /> on.
                </p>
              ),
            })
          }
          onClose={close}
        />
      )}
      {doing?.what === "revoke" && (
        <ConfirmDialog
          title="Revoke the key"
          description={`What uses ${doing.apiKey.name} is refused within seconds, with its users' tokens and its sessions. This cannot be undone.`}
          word={doing.apiKey.name}
          onClose={close}
          onConfirm={async () => {
            await rpc.apiKeys.revoke.mutate({ wId, keyId: doing.apiKey.sId });
            say(`${doing.apiKey.name} is revoked`);
            await reload();
          }}
        />
      )}
      {doing?.what === "show" && (
        <SecretDialog title={doing.title} secret={doing.secret} onClose={close}>
          {doing.note}
        </SecretDialog>
      )}
    </Page>
  );
}

interface KeyRowProps {
  readonly apiKey: ApiKey;
  readonly onChoose: (what: "change" | "rotate" | "disable" | "revoke") => void;
}

function KeyRow({ apiKey, onChoose }: KeyRowProps) {
  const clients = useClients();
  const { data: spaces } = useQuery(allSpacesQuery(clients));
  const { sId, name, role, spaceIds, createdAt, expiresAt, disabledAt, revokedAt } = apiKey;
  const nameOf = (id: string) => spaces?.find((space) => space.sId === id)?.name ?? id;
  return (
    <TableRow
      cells={[
        <span>
          <span className="font-medium">{name}</span>
          <code className="block font-mono text-sm whitespace-nowrap text-muted">{sId}</code>
        </span>,
        role,
        spaceIds.length === 0 ? "open ones" : `open ones, ${spaceIds.map(nameOf).join(", ")}`,
        <StatusBadge status={stateOfKey(apiKey, Date.now())} />,
        <Time at={createdAt} />,
        expiresAt === null ? "never" : <Time at={expiresAt} />,
        revokedAt === null && (
          <Menu
            trigger={
              <Button isSmall>
                Actions<span className="sr-only"> for {name}</span>
              </Button>
            }
          >
            <MenuItem onSelect={() => onChoose("change")}>Change …</MenuItem>
            <MenuItem onSelect={() => onChoose("rotate")}>Rotate …</MenuItem>
            <MenuItem onSelect={() => onChoose("disable")}>
              {disabledAt === null ? "Disable" : "Enable"}
            </MenuItem>
            <MenuItem onSelect={() => onChoose("revoke")}>Revoke …</MenuItem>
          </Menu>
        ),
      ]}
    />
  );
}

/** Which keys are shown; the choices are in the URL. */
function Filters() {
  const { q, show } = useSearch({ from: "/session/keys" });
  const navigate = useNavigate({ from: "/keys" });
  return (
    <search className="grid items-end gap-3 sm:grid-cols-3">
      <TextField
        label="Name"
        type="search"
        value={q ?? ""}
        onChange={({ target: { value } }) =>
          void navigate({ search: { show, q: value || undefined }, replace: true })
        }
      />
      <CheckField
        label="Revoked keys too"
        checked={show === "all"}
        onChange={({ target: { checked } }) =>
          void navigate({ search: { q, show: checked ? "all" : undefined } })
        }
      />
    </search>
  );
}
