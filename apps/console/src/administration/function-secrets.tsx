import { useQuery } from "@tanstack/react-query";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Command } from "../ui/empty-state.tsx";
import { TextField } from "../ui/field.tsx";
import { SecretSection } from "./secret-section.tsx";

/** The secrets that the code of functions uses. */
export function FunctionSecrets() {
  const wId = useWorkspaceId();
  const list = useQuery(trpc.functionSecrets.list.queryOptions({ wId }));
  return (
    <SecretSection
      title="Function secrets"
      noun="secret"
      query={list}
      rowsOf={({ functionSecrets }) =>
        functionSecrets.map((secret) => ({ ...secret, id: secret.name }))
      }
      changes={trpc.functionSecrets.pathKey()}
      put={async (form, replaced) =>
        rpc.functionSecrets.put.mutate({
          wId,
          name: replaced?.name ?? String(form.get("name")),
          value: String(form.get("value")),
        })
      }
      remove={async ({ name }) => rpc.functionSecrets.remove.mutate({ wId, name })}
      consequence="Functions that use it will fail."
      fields={(replaced) => (
        <>
          {!replaced && (
            <TextField
              label="Name"
              name="name"
              required
              autoComplete="off"
              placeholder="API_TOKEN"
              hint="Capital letters, digits and underscores."
            />
          )}
          <TextField
            label="Value"
            name="value"
            type="password"
            required
            minLength={8}
            autoComplete="off"
            hint="At least 8 printable ASCII characters."
          />
        </>
      )}
      empty={
        <>
          <p className="text-muted">
            Functions can use a service’s token without reading it. Set one here, or with:
          </p>
          <Command>parley functions secret put API_TOKEN</Command>
        </>
      }
    />
  );
}
