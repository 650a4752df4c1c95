/** Parley as a client of a server's authorization server: entered, or registered there. */
import { toolAuthorizationRequests, toolAuthorizations, type Queryable } from "@parley/db";
import { invalidRequest, type RegisterTool, type Tool, type ToolServer } from "@parley/schema";
import { eq } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { requireSecretBox, type SecretServices } from "../workspaces/secret-box.ts";
import type { Offer } from "./refresh-tools.ts";
import { APPLICATION_NAME, CALLBACK_PATH, clientDocumentUrl } from "./client-document.ts";
import { type ToolServerFailure, type ToolServices, unreachable } from "./tool-servers.ts";
import type { NewClient } from "./tool-secrets.ts";

const PREPARE_TIMEOUT_MS = 15_000;

type ClientContext = RequestContext & SecretServices & ToolServices;

/**
 * What is stored of a connection's client. With `authorization_code`, its authorization server is looked for,
 * and Parley registers itself there unless the client is named. Throws `tool_unreachable`.
 */
export async function prepareClient(
  context: ClientContext,
  { url, oauth }: Pick<RegisterTool, "url" | "oauth">,
): Promise<NewClient | undefined> {
  if (oauth === undefined) return undefined;
  const { grant, clientId, clientSecret, scope } = oauth;
  const named = { ...(scope !== undefined && { scope }), ...(clientSecret && { clientSecret }) };
  if (grant !== "authorization_code") {
    if (clientId === undefined) throw new Error("The schema requires a client");
    return { grant: "client_credentials", clientId, ...named };
  }
  // The tokens of users are to be stored, whatever the authorization server says.
  requireSecretBox(context, "oauth");
  const { toolServers, publicUrl, signal } = context;
  const clientMetadataUrl = clientDocumentUrl(publicUrl);
  const known = clientId === undefined ? undefined : { clientId, ...named };
  const prepared = await toolServers.authorization.prepare(url, {
    timeoutMs: PREPARE_TIMEOUT_MS,
    signal,
    client: known,
    introduction: {
      name: APPLICATION_NAME,
      redirectUrl: publicUrl + CALLBACK_PATH,
      ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
      ...(scope !== undefined && { scope }),
    },
  });
  if ("type" in prepared) throw unreachable(prepared);
  const { server: authorizationServer, client } = prepared;
  const { authenticationMethod, clientSecret: issued } = client;
  return {
    grant,
    clientId: client.clientId,
    ...named,
    ...(issued !== undefined && { clientSecret: issued }),
    ...(authenticationMethod !== undefined && { authenticationMethod }),
    authorizationServer,
  };
}

interface Granted {
  readonly grant?: "client_credentials" | "authorization_code" | undefined;
}

/** Throws `invalid_request_error` if the use case is not that of the grant. */
export function requirePersonalUse({
  oAuthUseCase,
  oauth,
}: Pick<RegisterTool, "oAuthUseCase"> & { readonly oauth?: Granted | undefined }): void {
  const expected = useCaseOf(oauth);
  if (oAuthUseCase === undefined || oAuthUseCase === expected) return;
  const message =
    expected === "personal_actions"
      ? "must be personal_actions if the grant of oauth is authorization_code"
      : "must be platform_actions unless the grant of oauth is authorization_code";
  throw invalidRequest("body", [{ path: "oAuthUseCase", message }]);
}

/** Whose credentials a server is called with. */
export function useCaseOf(client: Granted | undefined): Tool["oAuthUseCase"] {
  return client?.grant === "authorization_code" ? "personal_actions" : "platform_actions";
}

/** How a server's users see that it is authorised: in the words that existing clients know. */
export function authorizationOf(client: NewClient | undefined): ToolServer["authorization"] {
  const useCase = useCaseOf(client);
  const provider = useCase === "personal_actions" ? "mcp" : "mcp_static";
  return { provider, supported_use_cases: [useCase], scope: client?.scope ?? "" };
}

/**
 * What is known of a server that tells its tools to nobody before a user allows it. Throws `tool_unreachable`
 * for other failures.
 */
export function requireSilent(
  { url, oauth }: Pick<RegisterTool, "url" | "oauth">,
  failure: ToolServerFailure,
): Offer {
  const isSilent = failure.code === "unauthorized" && useCaseOf(oauth) === "personal_actions";
  if (!isSilent) throw unreachable(failure);
  const fault = "The server lists its tools once the first user has authorized it";
  return { name: new URL(url).host, version: "", description: "", tools: [], fault };
}

/** Forgets what users have allowed of a tool whose server, or client, is another now. */
export async function removeAuthorizations(db: Queryable, toolId: number): Promise<void> {
  await db.delete(toolAuthorizations).where(eq(toolAuthorizations.toolId, toolId));
  await db.delete(toolAuthorizationRequests).where(eq(toolAuthorizationRequests.toolId, toolId));
}
