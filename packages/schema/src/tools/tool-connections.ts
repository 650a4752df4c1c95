import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { forUpdate, Milliseconds, optional, Reference, text } from "../parsing/text.ts";
import { AdministeredTool, Tool, ToolIdentity } from "./tools.ts";

/**
 * Who approves the calls of a tool: nobody (`never_ask`); its user, who may approve all later calls
 * (`low`), or those by the same agent (`medium`); its user, for each call (`high`).
 */
export const Stake = z
  .enum(["never_ask", "low", "medium", "high"])
  .describe("Risk of the call")
  .meta({ example: "high" });
export type Stake = z.infer<typeof Stake>;

/** Names of HTTP headers, without those that the connection itself sets. */
const HeaderName = text(128, 1).regex(
  /^(?!(?:host|connection|content-length|content-type|accept|transfer-encoding|upgrade|te|trailer|mcp-.*)$)[!#$%&'*+.^_`|~0-9A-Za-z-]+$/i,
  { error: "must be the name of a header that clients may set" },
);
const HeaderValue = text(8192, 1).regex(/^[\t\x20-\x7e]+$/, {
  error: "must be printable ASCII",
});
const Headers = z
  .record(HeaderName, HeaderValue)
  .refine((headers) => Object.keys(headers).length <= 16, "must be at most 16 headers");

const RemoteUrl = text(2048, 1).refine((value) => {
  const url = URL.parse(value);
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
  );
}, "must be an https URL without a user and a password");

const ToolNames = z.array(text(128, 1)).max(256);
const Stakes = z
  .record(text(128, 1), Stake)
  .refine((stakes) => Object.keys(stakes).length <= 256, "must name at most 256 tools");

const OAuthGrant = z
  .enum(["client_credentials", "authorization_code"])
  .describe(
    "How tokens are issued: to Parley itself (client_credentials), or for each user who authorizes it (authorization_code)",
  );

const OAuthClient = z
  .object({
    grant: optional(OAuthGrant).describe(
      "How tokens are issued: to Parley itself (client_credentials, the default), or for each user who authorizes it (authorization_code)",
    ),
    clientId: optional(text(255, 1))
      .describe("Id of the client; with authorization_code, Parley registers itself if omitted")
      .meta({ example: "parley" }),
    clientSecret: optional(text(4096, 1))
      .describe("Secret of the client; stored encrypted and never shown")
      .meta({ example: "secret" }),
    scope: optional(text(1024, 1)).describe("Scope to request; defaults to what the server names"),
  })
  .superRefine(({ grant, clientId, clientSecret }, refinement) => {
    if (clientSecret !== undefined && clientId === undefined) {
      refinement.addIssue({
        code: "custom",
        path: ["clientId"],
        message: "goes with clientSecret",
      });
    }
    if (grant === "authorization_code") return;
    for (const [name, value] of Object.entries({ clientId, clientSecret })) {
      if (value === undefined) {
        const message = "is required, unless grant is authorization_code";
        refinement.addIssue({ code: "custom", path: [name], message });
      }
    }
  });

const settings = {
  oauth: optional(OAuthClient).describe(
    "Parley's client at the server's authorization server, which issues tokens to Parley or for its users",
  ),
  headers: optional(Headers)
    .describe("Headers of each request; stored encrypted and never shown")
    .meta({ example: { Authorization: "Bearer secret" } }),
  defaultStake: optional(Stake).describe(
    "Who approves calls of tools that `stakes` does not name; high by default",
  ),
  stakes: optional(Stakes)
    .describe("Who approves calls, by the name of the server's tool")
    .meta({ example: { search: "never_ask" } }),
  retryableTools: optional(ToolNames)
    .describe("Tools whose interrupted calls may be repeated; none by default")
    .meta({ example: ["search"] }),
  timeoutMs: optional(z.int().min(100).max(600_000))
    .describe("Timeout of a call in milliseconds; 60,000 by default")
    .meta({ example: 60_000 }),
  maxConcurrent: optional(z.int().min(1).max(1000)).describe(
    "Maximum concurrent calls, while others wait; 20 by default",
  ),
};

/** A remote MCP server to add as a tool. */
export const RegisterTool = WorkspaceParams.extend({
  spaceId: Reference.describe("Space of the tool").meta({ example: "vlt_Gw4Xs7Dq2M" }),
  url: RemoteUrl.describe("URL of the server's streamable HTTP endpoint").meta({
    example: "https://tools.example.com/mcp",
  }),
  name: optional(text(255, 1))
    .describe("Name of the tool; defaults to the server's name")
    .meta({ example: "orders" }),
  description: optional(text(4096))
    .describe("Description of the tool; defaults to the server's")
    .meta({ example: "Reads orders" }),
  oAuthUseCase: optional(Tool.shape.oAuthUseCase).describe(
    "Whose credentials the tool uses: personal_actions with authorization_code, otherwise platform_actions",
  ),
  isRestrictedToSkills: optional(z.boolean()).describe("Whether only skills can use the tool"),
  ...settings,
});
export type RegisterTool = z.output<typeof RegisterTool>;

/** How the tools of a remote server are called. */
export const ToolConnection = z.object({
  url: z
    .string()
    .describe("URL of the server's streamable HTTP endpoint")
    .meta({ example: "https://tools.example.com/mcp" }),
  headerNames: z
    .array(z.string())
    .describe("Names of the headers that each request has")
    .meta({ example: ["Authorization"] }),
  oauth: z
    .object({
      grant: OAuthGrant,
      clientId: z.string().describe("Id of the client").meta({ example: "parley" }),
      scope: z.string().optional().describe("Requested scope"),
    })
    .nullable()
    .describe("Parley's client at the server's authorization server")
    .meta({ example: null }),
  defaultStake: Stake.describe("Who approves calls of tools that `stakes` does not name"),
  stakes: z
    .record(z.string(), Stake)
    .describe("Who approves calls, by the tool's name")
    .meta({ example: { search: "never_ask" } }),
  retryableTools: z.array(z.string()).describe("Tools whose interrupted calls may be repeated"),
  timeoutMs: z.int().describe("Timeout of a call in milliseconds").meta({ example: 60_000 }),
  maxConcurrent: z.int().describe("Maximum concurrent calls").meta({ example: 20 }),
  refreshedAt: Milliseconds.describe("When the list of tools was last refreshed"),
  fault: z
    .string()
    .nullable()
    .describe("Why the refresh failed, or what was left out; null if all went well")
    .meta({ example: null }),
});
export type ToolConnection = z.infer<typeof ToolConnection>;

/** A tool with its connection. */
export const ConnectedTool = AdministeredTool.extend({
  connection: ToolConnection.describe("How its tools are called"),
});
export type ConnectedTool = z.output<typeof ConnectedTool>;

export const NamedTool = ToolIdentity.omit({ version: true });
export type NamedTool = z.output<typeof NamedTool>;

/** A change of a tool's connection; members that are left out stay as they are. */
export const UpdateToolConnection = ToolIdentity.extend({
  url: optional(RemoteUrl).describe("New URL"),
  ...forUpdate(settings),
});
export type UpdateToolConnection = z.output<typeof UpdateToolConnection>;
