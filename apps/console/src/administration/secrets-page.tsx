import { hasRole } from "../api/access.ts";
import { useSession } from "../api/use-session.ts";
import { Page } from "../ui/page.tsx";
import { FunctionSecrets } from "./function-secrets.tsx";
import { ProviderCredentials } from "./provider-credentials.tsx";

/** The secrets of the workspace, whose values nobody can read. */
export function SecretsPage() {
  const session = useSession();
  return (
    <Page title="Secrets">
      <FunctionSecrets />
      {hasRole(session, "admin") && <ProviderCredentials />}
    </Page>
  );
}
