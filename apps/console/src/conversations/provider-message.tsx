import { useQuery } from "@tanstack/react-query";
import { hasRole } from "../api/access.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { runQuery } from "../functions/read-run.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { ProviderSaid } from "./provider-said.tsx";

/** What the model's provider said of a failed answer, for those whom the server tells it. */
export function ProviderMessage({ messageId }: { readonly messageId: string }) {
  const isTold = hasRole(useSession(), "builder");
  const { data, error } = useQuery({ ...runQuery(useWorkspaceId(), messageId), enabled: isTold });
  if (error) return <ErrorNotice title="The provider's message could not be read" error={error} />;
  return data?.providerError ? <ProviderSaid {...data.providerError} /> : null;
}
