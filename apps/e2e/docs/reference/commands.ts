import { openMemoryIo } from "@parley/command/testing";
import { connectClients, createContext, createProgram, examplesOf } from "parley-server";
import { cell } from "./rows.ts";

type Command = ReturnType<typeof createProgram>;
type Option = Command["options"][number];
type Argument = Command["registeredArguments"][number];

/** A page of commands: those whose first word is one of these. */
interface CommandGroup {
  readonly file: string;
  readonly title: string;
  readonly words: readonly string[];
}

const groups: readonly CommandGroup[] = [
  {
    file: "server",
    title: "On the server's machine",
    words: ["serve", "api", "worker", "migrate", "export", "import", "database", "doctor"],
  },
  {
    file: "connection",
    title: "Servers and profiles",
    words: [
      "login",
      "logout",
      "profiles",
      "whoami",
      "status",
      "console",
      "update",
      "help",
      "completion",
    ],
  },
  {
    file: "conversations",
    title: "Conversations and runs",
    words: ["chat", "ask", "tail", "conversations", "runs", "approvals", "feedback"],
  },
  { file: "agents", title: "Agents, skills, tools", words: ["agents", "skills", "tools"] },
  { file: "functions", title: "Functions", words: ["functions"] },
  {
    file: "knowledge",
    title: "Files, knowledge, memories",
    words: ["files", "knowledge", "memories"],
  },
  {
    file: "automation",
    title: "Schedules, triggers, webhooks",
    words: ["schedules", "triggers", "webhooks"],
  },
  {
    file: "insight",
    title: "Overview, alerts, traces, audit log",
    words: ["overview", "alerts", "traces", "audit"],
  },
  {
    file: "cost",
    title: "Models, prices, budgets, usage",
    words: [
      "models",
      "credentials",
      "prices",
      "budgets",
      "usage",
      "server-prices",
      "server-budgets",
    ],
  },
  {
    file: "access",
    title: "Keys, members, spaces, workspaces",
    words: ["spaces", "members", "users", "keys", "workspaces", "operator-keys"],
  },
  { file: "folders", title: "Workspaces in files", words: ["apply", "pull"] },
];

interface Leaf {
  readonly words: string;
  readonly command: Command;
}

/** The pages of the commands by their files: an index, and a page for each group. */
export function renderCommandPages(): ReadonlyMap<string, string> {
  const program = createProgram(createContext(openMemoryIo().io, connectClients));
  const leaves = leavesOf(program, []);
  const shared = sharedOptionsOf(leaves);
  const grouped = Map.groupBy(leaves, ({ words }) => {
    const [first = ""] = words.split(" ");
    const found = groups.find((group) => group.words.includes(first));
    if (found === undefined) throw new Error(`No group of commands has ${words}`);
    return found;
  });
  const tables = groups.map((group) => {
    const rows = (grouped.get(group) ?? []).map(({ words, command }) => {
      const anchor = `parley-${words.replaceAll(" ", "-")}`;
      return `| [\`parley ${words}\`](commands/${group.file}.md#${anchor}) | ${cell(command.description())} |`;
    });
    return [`## ${group.title}\n`, "| Command | What it does |", "| --- | --- |", ...rows].join(
      "\n",
    );
  });
  const index = `# Commands

This page lists every command of \`parley\`. \`parley help agents create\` shows the same in a terminal.
[Command line](../guide/cli.md) explains how commands find their server, what they print, and their exit codes.

${tables.join("\n\n")}

## Options of commands that call a server

Their pages do not list these again.

${renderTable("Option", shared.map(renderOption))}
`;
  const pages = groups.map((group): [string, string] => {
    const sections = (grouped.get(group) ?? []).map((leaf) => renderCommand(leaf, shared));
    const text = `# ${group.title}: commands

[Commands](../commands.md) lists the commands of all pages.

${sections.join("\n\n")}
`;
    return [`commands/${group.file}.md`, text];
  });
  return new Map([["commands.md", index], ...pages]);
}

function leavesOf(program: Command, before: readonly string[]): Leaf[] {
  return program
    .createHelp()
    .visibleCommands(program)
    .flatMap((command): Leaf[] => {
      const words = [...before, command.name()];
      return command.commands.length === 0
        ? [{ words: words.join(" "), command }]
        : leavesOf(command, words);
    });
}

const optionsOf = (command: Command): Option[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== "--help" && long !== "--debug");

/** What an option is, so that the same of two commands is found. */
const keyOf = ({ flags, description }: Option): string => `${flags} ${description}`;

/** Options that most commands have alike. */
function sharedOptionsOf(leaves: readonly Leaf[]): Option[] {
  const all = leaves.flatMap(({ command }) => optionsOf(command));
  return [...Map.groupBy(all, keyOf).values()].flatMap((same) =>
    same.length > leaves.length / 2 ? same.slice(0, 1) : [],
  );
}

function renderCommand({ words, command }: Leaf, shared: readonly Option[]): string {
  const common = new Set(shared.map(keyOf));
  const options = optionsOf(command);
  const own = options.filter((option) => !common.has(keyOf(option)));
  const help = command.createHelp();
  const named = help.visibleArguments(command);
  const description = command.description();
  return [
    `### parley ${words}`,
    `${description.charAt(0).toUpperCase()}${description.slice(1)}.`,
    `\`\`\`text\n${help.commandUsage(command)}\n\`\`\``,
    ...(named.length === 0 ? [] : [renderTable("Argument", named.map(renderArgument))]),
    ...(own.length === 0 ? [] : [renderTable("Option", own.map(renderOption))]),
    ...(own.length === options.length
      ? []
      : [
          "With the [options of commands that call a server](../commands.md#options-of-commands-that-call-a-server).",
        ]),
    `\`\`\`bash\n${examplesOf(`parley ${words}`).join("\n")}\n\`\`\``,
  ].join("\n\n");
}

const renderTable = (what: string, rows: readonly string[]): string =>
  [`| ${what} | Meaning |`, "| --- | --- |", ...rows].join("\n");

const renderArgument = (argument: Argument): string =>
  `| \`${argument.name()}\` | ${cell(argument.description)}${renderChoices(argument)} |`;

const renderOption = (option: Option): string =>
  `| \`${cell(option.flags)}\` | ${cell(option.description)}${renderChoices(option)} |`;

function renderChoices({ argChoices, defaultValue }: Option | Argument): string {
  const choices = (argChoices ?? []).map((choice) => `\`${choice}\``).join(", ");
  const isShown = defaultValue !== undefined && typeof defaultValue !== "boolean";
  return `${choices && `: ${choices}`}${isShown ? `; default \`${String(defaultValue)}\`` : ""}`;
}
