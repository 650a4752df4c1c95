import type { ShownIds } from "./fill-shop.ts";

type Key = "operator" | "admin" | "builder" | "user";
/** A page of the console. */
export interface ShownPage {
  /** Its path as the router has it. */
  readonly route: string;
  /** The name of its pictures. */
  readonly name: string;
  /** Its URL in the made-up shop. */
  readonly pathOf: (ids: ShownIds) => string;
  /** The keys that may open it; undefined for a page that needs no session. */
  readonly keys: readonly Key[] | undefined;
  /** Describes the picture to a reader who does not see it. */
  readonly alt: string;
}

const everyUser: readonly Key[] = ["admin", "builder", "user"];
const builders: readonly Key[] = ["admin", "builder"];
const admins: readonly Key[] = ["admin"];
const operators: readonly Key[] = ["operator"];
const everyKey: readonly Key[] = [...operators, ...everyUser];

/** Every page of the console, in the order of its menu. */
export const pages: readonly ShownPage[] = [
  {
    route: "/sign-in",
    name: "sign-in",
    pathOf: () => "/sign-in",
    keys: undefined,
    alt: "A form with a field for a key, and the command that opens the console signed in",
  },
  {
    route: "/conversations",
    name: "conversations",
    pathOf: () => "/conversations",
    keys: everyUser,
    alt: "A table of conversations with title, state and times, below a filter",
  },
  {
    route: "/conversations/all",
    name: "all-conversations",
    pathOf: () => "/conversations/all",
    keys: builders,
    alt: "All conversations, below fields for title, agent, state and time",
  },
  {
    route: "/conversations/new",
    name: "new-conversation",
    pathOf: () => "/conversations/new",
    keys: everyUser,
    alt: "A field for the first message, and the agents to choose from",
  },
  {
    route: "/conversations/$conversationId",
    name: "conversation",
    pathOf: ({ conversationId }) => `/conversations/${conversationId}`,
    keys: everyUser,
    alt: "A question about an order, and the agent’s answer with a tool call and a table",
  },
  {
    route: "/approvals",
    name: "approvals",
    pathOf: () => "/approvals",
    keys: everyUser,
    alt: "A refund that needs approval, with its arguments, and a question from an agent",
  },
  {
    route: "/runs",
    name: "runs",
    pathOf: () => "/runs",
    keys: builders,
    alt: "A table of turns, invocations and tool calls with their states, durations and errors",
  },
  {
    route: "/runs",
    name: "server-runs",
    pathOf: () => "/runs",
    keys: operators,
    alt: "A table of the runs of all workspaces, each with the name of its workspace",
  },
  {
    route: "/overview",
    name: "overview",
    pathOf: () => "/overview",
    keys: [...operators, ...builders],
    alt: "Figures of queued and running runs, above charts of the last hour",
  },
  {
    route: "/agents",
    name: "agents",
    pathOf: () => "/agents",
    keys: everyUser,
    alt: "A table of agents with their descriptions, states and models",
  },
  {
    route: "/agents/new",
    name: "new-agent",
    pathOf: () => "/agents/new",
    keys: builders,
    alt: "A form for the name, instructions, model, skills, functions and tools of a new agent",
  },
  {
    route: "/agents/$agentId",
    name: "agent",
    pathOf: ({ agentId }) => `/agents/${agentId}`,
    keys: everyUser,
    alt: "The editor of an agent, beside a conversation in which it can be tried",
  },
  {
    route: "/functions",
    name: "functions",
    pathOf: () => "/functions",
    keys: everyUser,
    alt: "A table of functions with their descriptions, one of which needs approval",
  },
  {
    route: "/functions/$functionId",
    name: "function",
    pathOf: ({ functionId }) => `/functions/${functionId}?view=invocations`,
    keys: everyUser,
    alt: "The invocations of a function with their states and times",
  },
  {
    route: "/functions/new",
    name: "new-function",
    pathOf: () => "/functions/new",
    keys: builders,
    alt: "An editor with the code of a new function, above its schemas and limits",
  },
  {
    route: "/functions/$functionId",
    name: "edit-function",
    pathOf: ({ codeId }) => `/functions/${codeId}?view=edit`,
    keys: builders,
    alt: "The code of a function in an editor that knows its types",
  },
  {
    route: "/functions/$functionId",
    name: "function-versions",
    pathOf: ({ codeId }) => `/functions/${codeId}?view=versions`,
    keys: builders,
    alt: "Two versions of a function with the lines that were removed and added between them",
  },
  {
    route: "/functions/$functionId/invocations/$invocationId",
    name: "invocation",
    pathOf: ({ functionId, invocationId }) =>
      `/functions/${functionId}/invocations/${invocationId}`,
    keys: everyUser,
    alt: "An invocation with its input, outcome and log",
  },
  {
    route: "/skills",
    name: "skills",
    pathOf: () => "/skills",
    keys: everyUser,
    alt: "A table of skills with their states and availability",
  },
  {
    route: "/skills/import",
    name: "import-skills",
    pathOf: () => "/skills/import",
    keys: builders,
    alt: "An area to drop folders of skills on, with import options",
  },
  {
    route: "/skills/$skillId",
    name: "skill",
    pathOf: ({ skillId }) => `/skills/${skillId}`,
    keys: everyUser,
    alt: "A skill with its instructions, files and availability",
  },
  {
    route: "/skills/$skillId/versions",
    name: "skill-versions",
    pathOf: ({ skillId }) => `/skills/${skillId}/versions`,
    keys: builders,
    alt: "The versions of a skill, with the changes in its instructions",
  },
  {
    route: "/tools",
    name: "tools",
    pathOf: () => "/tools",
    keys: builders,
    alt: "A table of MCP servers with their descriptions and numbers of tools",
  },
  {
    route: "/tools/register",
    name: "register-tool",
    pathOf: () => "/tools/register",
    keys: builders,
    alt: "A form for the URL of an MCP server and its authentication",
  },
  {
    route: "/tools/$toolId",
    name: "tool",
    pathOf: ({ toolId }) => `/tools/${toolId}`,
    keys: builders,
    alt: "An MCP server with its tools and the approval of their calls",
  },
  {
    route: "/data-sources",
    name: "data-sources",
    pathOf: () => "/data-sources",
    keys: everyUser,
    alt: "A table of data sources of a space",
  },
  {
    route: "/data-sources/$spaceId/$viewId",
    name: "data-source",
    pathOf: ({ spaceId, viewId }) => `/data-sources/${spaceId}/${viewId}`,
    keys: everyUser,
    alt: "The documents of a data source with their tags, below a search",
  },
  {
    route: "/secrets",
    name: "secrets",
    pathOf: () => "/secrets",
    keys: builders,
    alt: "The names of the secrets of functions, and the model providers with credentials",
  },
  {
    route: "/budgets",
    name: "budgets",
    pathOf: () => "/budgets",
    keys: builders,
    alt: "A table of budgets with what each limits, a bar of what is spent, and its period",
  },
  {
    route: "/settings",
    name: "settings",
    pathOf: () => "/settings",
    keys: admins,
    alt: "A form with the name and region of the workspace, above a table of models",
  },
  {
    route: "/members",
    name: "members",
    pathOf: () => "/members",
    keys: admins,
    alt: "A table of members with names and e-mail addresses",
  },
  {
    route: "/spaces",
    name: "spaces",
    pathOf: () => "/spaces",
    keys: admins,
    alt: "A table of spaces, one of which is restricted to selected keys",
  },
  {
    route: "/keys",
    name: "keys",
    pathOf: () => "/keys",
    keys: admins,
    alt: "A table of keys with their roles, spaces, states and when they expire",
  },
  {
    route: "/audit",
    name: "audit-log",
    pathOf: () => "/audit",
    keys: [...operators, ...admins],
    alt: "A table of changes with their authors and times, below filters",
  },
  {
    route: "/workspaces",
    name: "workspaces",
    pathOf: () => "/workspaces",
    keys: operators,
    alt: "A table of the workspaces of a server, one of which is suspended",
  },
  {
    route: "/operator-keys",
    name: "operator-keys",
    pathOf: () => "/operator-keys",
    keys: operators,
    alt: "A table of operator keys with their states and when they expire",
  },
  {
    route: "/no-access",
    name: "no-access",
    pathOf: () => "/no-access",
    keys: everyKey,
    alt: "A page saying that the key has no access to any page",
  },
  {
    route: "/$",
    name: "no-such-page",
    pathOf: () => "/nowhere",
    keys: everyKey,
    alt: "A page saying that its URL was not found, with a link to go home",
  },
];

/** The themes in which each page has a picture. */
export const themes = ["light", "dark"] as const;

/** The name of the file with a picture of a page, below `docs/console`. */
export const pictureOf = ({ name }: ShownPage, theme: (typeof themes)[number]): string =>
  `${name}-${theme}.webp`;
