import { doors } from "@parley/schema";

/** A page of operations: those whose names begin with one of the nouns. */
export interface Group {
  readonly file: string;
  readonly title: string;
  /** What the page has, after "This page lists the operations". */
  readonly about: string;
  readonly nouns: readonly string[];
}

/** The pages of the operations, in the order of the menu. */
export const endpointGroups: readonly Group[] = [
  {
    file: "conversations",
    title: "Conversations",
    about: "on conversations, their messages, events, tool calls and feedback",
    nouns: ["conversations", "messages", "actions", "contentFragments", "summaries", "feedbacks"],
  },
  {
    file: "agents",
    title: "Agents",
    about: "on agents, their versions, and mentions of them",
    nouns: ["agents", "mentions"],
  },
  {
    file: "functions",
    title: "Sandbox functions",
    about: "on sandbox functions, their invocations and their secrets",
    nouns: ["sandboxFunctions", "invocations", "functionSecrets"],
  },
  {
    file: "tools",
    title: "Tools",
    about: "on MCP servers, users' authorizations of them, and servers that run in clients",
    nouns: ["tools", "toolAuthorizations", "clientServers"],
  },
  { file: "skills", title: "Skills", about: "on skills", nouns: ["skills"] },
  { file: "files", title: "Files", about: "on files", nouns: ["files"] },
  {
    file: "knowledge",
    title: "Knowledge",
    about: "on data sources, their documents, tables and web sources, and the search of them",
    nouns: [
      "dataSources",
      "dataSourceViews",
      "dataSourceNodes",
      "documents",
      "folders",
      "tables",
      "tableRows",
      "nodes",
      "knowledge",
      "webSources",
    ],
  },
  { file: "memories", title: "Memories", about: "on memories", nouns: ["memories"] },
  {
    file: "automation",
    title: "Schedules, triggers, webhooks",
    about: "on what starts agents and functions, and on what Parley sends to your server",
    nouns: ["schedules", "triggers", "webhooks"],
  },
  {
    file: "insight",
    title: "Runs, traces, alerts, search",
    about: "that show what happens, and find it again",
    nouns: ["runs", "overview", "measures", "alerts", "traceDestinations", "search", "savedViews"],
  },
  {
    file: "cost",
    title: "Models, prices, budgets, usage",
    about: "on models, what they cost, and what may be spent",
    nouns: ["models", "providerCredentials", "prices", "budgets", "usage", "analytics"],
  },
  {
    file: "access",
    title: "Keys, members, spaces, workspaces",
    about: "on workspaces, and on who may call them",
    nouns: [
      "apiKeys",
      "userTokens",
      "session",
      "members",
      "spaces",
      "workspaces",
      "featureFlags",
      "verifiedDomains",
      "operatorKeys",
      "audit",
    ],
  },
  {
    file: "protocols",
    title: "Other protocols",
    about:
      "in the words of Open Responses, chat completions, the AI SDK, AG-UI and Durable Streams",
    nouns: [],
  },
  { file: "server", title: "The server itself", about: "on the server itself", nouns: ["server"] },
];

/** The page of an operation, by its name. Throws if no group has it. */
export function groupOf(name: string): Group {
  const [noun = ""] = name.split(".");
  const found = endpointGroups.find(({ file, nouns }) =>
    name in doors ? file === "protocols" : nouns.includes(noun),
  );
  if (found === undefined) throw new Error(`No group of endpointGroups has ${name}`);
  return found;
}
