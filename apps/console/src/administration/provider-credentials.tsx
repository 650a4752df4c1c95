import { useQuery } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { CurlCommand } from "../ui/empty-state.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { SecretSection } from "./secret-section.tsx";

type ProviderId = Output<"providerCredentials.list">["providerCredentials"][number]["providerId"];

const providers: Readonly<Record<ProviderId, string>> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  mistral: "Mistral",
  google_ai_studio: "Google AI Studio",
  deepseek: "DeepSeek",
  fireworks: "Fireworks",
  xai: "xAI",
  openai_compatible: "OpenAI-compatible server",
};

/** The credentials with which the workspace calls model providers. */
export function ProviderCredentials() {
  const wId = useWorkspaceId();
  const list = useQuery(trpc.providerCredentials.list.queryOptions({ wId }));
  return (
    <SecretSection
      title="Model provider credentials"
      noun="credential"
      query={list}
      rowsOf={({ providerCredentials }) =>
        providerCredentials.map(({ providerId, ...times }) => ({
          ...times,
          id: providerId,
          name: providers[providerId],
        }))
      }
      changes={trpc.providerCredentials.pathKey()}
      put={async (form, replaced) =>
        rpc.providerCredentials.put.mutate({
          wId,
          providerId: providerOf(replaced?.id ?? String(form.get("providerId"))),
          apiKey: String(form.get("apiKey")),
        })
      }
      remove={async ({ id }) =>
        rpc.providerCredentials.remove.mutate({ wId, providerId: providerOf(id) })
      }
      consequence="Agents on this provider’s models will use the server’s credential, or fail if it has none."
      fields={(replaced) => (
        <>
          {!replaced && (
            <SelectField label="Provider" name="providerId" required>
              {Object.entries(providers).map(([id, name]) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </SelectField>
          )}
          <TextField label="API key" name="apiKey" type="password" required autoComplete="off" />
        </>
      )}
      empty={
        <>
          <p className="text-muted">
            Agents use the credentials of the server by default. To bill this workspace separately,
            set its own credential here, or with:
          </p>
          <CurlCommand
            method="PUT"
            path={`/api/admin/workspaces/${wId}/provider-credentials/mistral`}
            body={{ apiKey: "sk-your-key" }}
          />
        </>
      }
    />
  );
}

function providerOf(id: string): ProviderId {
  // The ids of the list and of the form are those of the table.
  return id as ProviderId;
}
