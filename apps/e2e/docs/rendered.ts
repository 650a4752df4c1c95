import { describeSettings } from "@parley/cli";
import { type Endpoint, endpoints } from "@parley/schema";

/** The table of the settings, for the README. */
export function renderSettings(): string {
  const rows = describeSettings().map(
    ({ name, byDefault, description }) =>
      `| \`${name}\` | ${byDefault && `\`${byDefault}\``} | ${description} |`,
  );
  return ["| Variable | Default | What it is |", "| --- | --- | --- |", ...rows].join("\n");
}

/** An environment file with every setting at its default. */
export function renderEnvironment(): string {
  const blocks = describeSettings().map(
    ({ name, byDefault, description }) => `# ${description}\n#${name}=${byDefault}\n`,
  );
  return blocks.join("\n");
}

/** Who may do what: a row for each endpoint. */
export function renderAccess(): string {
  const rows = Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => {
    const route = endpoint.kind === "rpc" ? "" : `\`${endpoint.method} ${endpoint.path}\``;
    const isTransfer = ["upload", "form", "bytes"].includes(endpoint.kind);
    const rpc = isTransfer ? "" : `\`${name}\``;
    return `| ${endpoint.summary} | ${endpoint.role} | ${route} | ${rpc} |`;
  });
  return `# Who may do what

A key of a workspace has a role: none < user < builder < admin. The table names the least role of
each operation. A key reaches the open spaces of its workspace and the restricted ones that it was
given; conversations with their texts, nodes and tools in another space are unknown to it. An operator key does
everything that is administered over the RPC, in any workspace, and nothing else.

/livez and /readyz ask for no key.

| Operation | Least role | REST | RPC |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
}
