import { describeClientSettings } from "@parley/command/client-settings";
import { describeSettings } from "@parley/server";

type Setting = ReturnType<typeof describeSettings>[number];

/** The sections of the page, each with the names of its settings; the first that fits has a setting. */
const sections: readonly (readonly [heading: string, names: RegExp])[] = [
  ["Functions and the sandbox", /^PARLEY_(?:SANDBOX|SIMULATION|E2B)_/],
  ["Models", /^PARLEY_(?:\w+_(?:API_KEY|BASE_URL)|OPENAI_COMPATIBLE_\w+|MODEL_\w+|TITLE_MODEL)$/],
  ["OpenID Connect", /^PARLEY_OIDC_/],
  ["Retention", /RETENTION|VERSIONS_KEPT/],
  ["Traces", /^OTEL_/],
  ["Metrics, log, shutdown", /^PARLEY_(?:METRICS|LOG|SHUTDOWN)_/],
  ["Rate limits", /^PARLEY_RATE_/],
  [
    "Workers",
    /^PARLEY_(?:WORKER|LEASE|TASK|WORKSPACE_(?:CONCURRENCY|TURNS|WAITING)|CONVERSATION_TASKS)/,
  ],
  [
    "Connections and streams",
    /^PARLEY_(?:MAX_(?:CONNECTIONS|STREAMS|LOOP)|STREAM|TRANSFER|UNREAD|DATABASE_WAIT)/,
  ],
  ["Stored data", /^PARLEY_(?:MAX_FILE|WORKSPACE|CONVERSATION|DATA_SOURCE)_/],
  ["Tools, webhooks, triggers", /^PARLEY_(?:PRIVATE_HOSTS|WEBHOOK|OAUTH)/],
  [
    "Database and Redis",
    /^(?:DATABASE_URL|REDIS_URL|PARLEY_(?:DATA_DIR|ENCRYPTION|DATABASE_POOL|REDIS))/,
  ],
  ["The demo and its keys", /^PARLEY_(?:DEMO|\w+_KEY)$/],
  ["URL and requests", /^PARLEY_/],
];
/** What comes first on the page; the others follow in the order above. */
const FIRST = ["URL and requests", "Database and Redis", "Models"];

/** The page about the settings: a row for each. */
export function renderSettingsPage(): string {
  const groups = Map.groupBy(describeSettings(), ({ name }) => {
    const found = sections.find(([, names]) => names.test(name));
    if (found === undefined) throw new Error(`No section of settings has ${name}`);
    return found[0];
  });
  const headings = [
    ...FIRST,
    ...sections.map(([heading]) => heading).filter((one) => !FIRST.includes(one)),
  ];
  const tables = headings.map(
    (heading) => `## ${heading}\n\n${renderTable(groups.get(heading) ?? [])}`,
  );
  return `# Settings

This page lists every setting of the server and of the command line. All are environment variables; \`.env.example\`
has the server's with their defaults.

The commands on the machine of a server (\`serve\`, \`api\`, \`worker\`, \`migrate\`, \`export\`, \`import\`, \`database\`,
\`keys bootstrap\`, \`doctor\`) also read a file \`.env\` in the working directory, and the log names the file. What the
environment has wins over the file, and only the server's settings are read from it. Commands that call a server do not
read it: whoever created the directory could otherwise choose where the key goes.

A variable that begins with \`PARLEY_\` and is not a setting is refused, with the name that is nearest. Kubernetes sets
such variables for a service called \`parley\`: give it another name, or set \`enableServiceLinks: false\`.

${tables.join("\n\n")}

## Commands that call a server

Options of a command win over these ([command line](../guide/cli.md)).

${renderTable(describeClientSettings())}
`;
}

function renderTable(settings: readonly Setting[]): string {
  const rows = settings.map(
    ({ name, byDefault, description }) =>
      `| \`${name}\` | ${byDefault && `\`${byDefault}\``} | ${description} |`,
  );
  return ["| Variable | Default | What it is |", "| --- | --- | --- |", ...rows].join("\n");
}
