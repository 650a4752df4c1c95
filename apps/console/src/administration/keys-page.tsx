import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { CheckField, TextField } from "../ui/field.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { useToast } from "../ui/toast.tsx";
import { allSpacesQuery, KeyForm } from "./key-form.tsx";
import { Keys } from "./keys.tsx";

/** The keys of the workspace, with their actions. */
export function KeysPage() {
  const wId = useWorkspaceId();
  const { q = "", show } = useSearch({ from: "/session/keys" });
  const say = useToast();
  const { data: spaces } = useQuery(allSpacesQuery(wId));
  const nameOf = (id: string) => spaces?.find((space) => space.sId === id)?.name ?? id;
  const disabling = useMutation(
    trpc.apiKeys.update.mutationOptions({
      onSuccess: ({ apiKey: { name, disabledAt } }) =>
        say(disabledAt === null ? `${name} enabled` : `${name} disabled`),
    }),
  );
  const list = useQuery(trpc.apiKeys.list.queryOptions({ wId }));
  return (
    <Keys
      name="Keys"
      noun="key"
      query={list}
      rowsOf={({ apiKeys }) =>
        apiKeys.filter(
          ({ name, revokedAt }) =>
            (show === "all" || revokedAt === null) && name.toLowerCase().includes(q.toLowerCase()),
        )
      }
      above={
        <>
          <Filters />
          {disabling.isError && <ErrorNotice error={disabling.error} />}
        </>
      }
      empty={
        <EmptyState title="No matching keys">
          <p className="text-muted">Change the name filter, or include revoked keys.</p>
        </EmptyState>
      }
      columns={{
        Role: ({ role }) => role,
        Spaces: ({ spaceIds }) => ["Open spaces", ...spaceIds.map(nameOf)].join(", "),
      }}
      actionsOf={({ sId: keyId, name, disabledAt }, start) => (
        <Menu
          trigger={
            <Button isSmall of={`for ${name}`}>
              Actions
            </Button>
          }
        >
          <MenuItem onSelect={() => start("change")}>Edit …</MenuItem>
          <MenuItem onSelect={() => start("rotate")}>Rotate …</MenuItem>
          <MenuItem
            onSelect={() => disabling.mutate({ wId, keyId, disabled: disabledAt === null })}
          >
            {disabledAt === null ? "Disable" : "Enable"}
          </MenuItem>
          <MenuItem onSelect={() => start("revoke")}>Revoke …</MenuItem>
        </Menu>
      )}
      Form={KeyForm}
      rotate={async ({ sId: keyId }, overlapSeconds) =>
        rpc.apiKeys.rotate.mutate({ wId, keyId, overlapSeconds })
      }
      revoke={async ({ sId: keyId }) => rpc.apiKeys.revoke.mutate({ wId, keyId })}
      changes={trpc.apiKeys.pathKey()}
      consequence={(name) =>
        `${name}, its users’ tokens and its sessions stop working within seconds. This cannot be undone.`
      }
    />
  );
}

/** Filters of keys; the choices are in the URL. */
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
        label="Include revoked"
        checked={show === "all"}
        onChange={({ target: { checked } }) =>
          void navigate({ search: { q, show: checked ? "all" : undefined } })
        }
      />
    </search>
  );
}
