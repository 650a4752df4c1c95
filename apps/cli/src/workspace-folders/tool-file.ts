import { CreateTool, RegisterTool } from "@parley/schema";
import { writeYaml } from "@parley/core/skill-folders";
import * as z from "zod";
import type { Entry } from "./kind.ts";
import { secretText } from "./secrets.ts";
import { type ReadFile, readYamlFile, stemOf, withoutDefaults, YAML } from "./yaml-file.ts";

/** A tool: of a remote server that is called, or one that is only described. */
export type ToolDefinition = ToolMembers &
  ({ readonly connection: ConnectionDefinition } | { readonly described: DescribedServer });

interface ToolMembers {
  readonly name: string;
  /** Undefined for the server's own words. */
  readonly description: string | undefined;
  /** Undefined for the open space. */
  readonly space: string | undefined;
  readonly isRestrictedToSkills: boolean;
}

type DescribedServer = Pick<CreateTool, "serverType" | "server"> & {
  readonly oAuthUseCase: NonNullable<CreateTool["oAuthUseCase"]>;
};

const { description, isRestrictedToSkills, url, defaultStake, stakes, retryableTools, timeoutMs } =
  RegisterTool.shape;
const { maxConcurrent } = RegisterTool.shape;
const { name, serverType, server, oAuthUseCase } = CreateTool.shape;

/** `tools/<name>.yaml`: a remote server, or one that is only described. */
const ToolFile = z.object({
  name: name.optional(),
  description,
  space: z.string().min(1).optional(),
  isRestrictedToSkills,
  url: url.optional(),
  headers: z.record(z.string(), secretText).default({}),
  oauth: z
    .object({
      grant: z.enum(["client_credentials", "authorization_code"]).default("client_credentials"),
      clientId: z.string().min(1).optional(),
      clientSecret: secretText.optional(),
      scope: z.string().min(1).optional(),
    })
    .optional(),
  defaultStake,
  stakes,
  retryableTools,
  timeoutMs,
  maxConcurrent,
  serverType: serverType.optional(),
  server: server.optional(),
  oAuthUseCase,
});
type ToolFile = z.output<typeof ToolFile>;

const ofConnection = ["headers", "oauth", "defaultStake", "stakes", "retryableTools"] as const;
const ofDescription = ["serverType", "server", "oAuthUseCase"] as const;

/** Reads the file of a tool; the name of the file is the tool's if it names none. */
export async function readToolEntry({ file, text }: Entry): Promise<ReadFile<ToolDefinition>> {
  if (!YAML.test(file)) {
    return { faults: [{ file, message: "is not a tool: tool files end in .yaml" }] };
  }
  const read = readYamlFile(ToolFile, { file, text: await text(file) });
  if ("faults" in read) return read;
  const { value } = read;
  const message = findFault(value);
  if (message !== undefined) return { faults: [{ file, message }] };
  const members = {
    name: value.name ?? stemOf(file),
    description: value.description,
    space: value.space,
    isRestrictedToSkills: value.isRestrictedToSkills ?? false,
  };
  const { server: described, serverType: type = "remote", oAuthUseCase: useCase } = value;
  if (described === undefined) return { value: { ...members, connection: connectionOf(value) } };
  const oAuth = useCase ?? "platform_actions";
  const { description: said = "" } = members;
  const about = { serverType: type, server: described, oAuthUseCase: oAuth };
  return { value: { ...members, description: said, described: about } };
}

/** How a server is called. Secrets are named as in `Bearer {{secrets.ORDERS_TOKEN}}`. */
export type ConnectionDefinition = ReturnType<typeof connectionOf>;

function connectionOf({ oauth, ...value }: ToolFile) {
  return {
    url: value.url ?? "",
    headers: value.headers,
    oauth:
      oauth === undefined
        ? null
        : {
            grant: oauth.grant,
            // Undefined if Parley registers itself.
            clientId: oauth.clientId,
            clientSecret: oauth.clientSecret,
            scope: oauth.scope,
          },
    defaultStake: value.defaultStake ?? "high",
    stakes: value.stakes ?? {},
    retryableTools: value.retryableTools ?? [],
    timeoutMs: value.timeoutMs ?? 60_000,
    maxConcurrent: value.maxConcurrent ?? 20,
  };
}

function findFault(value: ToolFile): string | undefined {
  const { url: remote, server: described, headers, oauth } = value;
  if ((remote === undefined) === (described === undefined)) {
    return "must have either url, for a server that is called, or server, for one that is only described";
  }
  const strange = (members: readonly (keyof ToolFile)[]) =>
    members.find((member) => {
      const given = value[member];
      return given !== undefined && Object.keys(given).length > 0;
    });
  if (described !== undefined) {
    const member = strange([...ofConnection, "timeoutMs", "maxConcurrent"]);
    return member && `${member}: needs url`;
  }
  const member = strange(ofDescription);
  if (member !== undefined) return `${member}: needs server`;
  // The server's own rules, with values in place of the secrets.
  const filled = {
    wId: "-",
    spaceId: "-",
    url: remote,
    headers: Object.fromEntries(Object.keys(headers).map((header) => [header, "x"])),
    oauth: oauth && { ...oauth, clientSecret: oauth.clientSecret && "x" },
  };
  const issue = RegisterTool.safeParse(filled).error?.issues[0];
  if (issue === undefined) return undefined;
  const inner = issue.code === "invalid_key" ? issue.issues[0]?.message : undefined;
  return `${issue.path.join(".")}: ${inner ?? issue.message}`;
}

/** Writes the file of a tool; what has its default is left out. */
export function writeTool(tool: ToolDefinition, stem: string) {
  const { name: named, description: said, space, isRestrictedToSkills: isRestricted } = tool;
  const members = {
    name: named,
    ...(said !== undefined && { description: said }),
    ...(space !== undefined && { space }),
    ...(isRestricted && { isRestrictedToSkills: true }),
  };
  return { files: { [`${stem}.yaml`]: writeYaml({ ...members, ...serverOf(tool) }) } };
}

function serverOf(tool: ToolDefinition): object {
  if ("described" in tool) {
    const { serverType: type, oAuthUseCase: useCase, server: described } = tool.described;
    const personal = useCase !== "platform_actions" && { oAuthUseCase: useCase };
    return { serverType: type, ...personal, server: described };
  }
  const { oauth } = tool.connection;
  const connection = { ...tool.connection, oauth: oauth && withoutDefaults(oauth, {}) };
  return withoutDefaults(connection, connectionOf(ToolFile.parse({})));
}
