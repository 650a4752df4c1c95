import { describeSettings } from "@parley/cli";
import { type Endpoint, endpoints, errorTable } from "@parley/schema";

/** The table of the settings, for the page about operations. */
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

/livez, /readyz, /openapi.json, /docs and /llms.txt ask for no key, nor does /metrics on its own
port, where one is set.

| Operation | Least role | REST | RPC |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
}

/** Every error type, with its cause and its cure. */
export function renderErrors(): string {
  const rows = Object.entries(errorTable).map(
    ([type, { status, retryable, cause, cure }]) =>
      `| \`${type}\` | ${status} | ${retryable ? "yes" : ""} | ${cause} | ${cure} |`,
  );
  return `# Errors

Every refusal has the same form. \`type\` is stable: programs decide by it. \`message\` is for people.
\`request_id\` finds the request in the server's log, and \`issues\`, where there are any, name the fields.

\`\`\`json
{"error":{"type":"invalid_request_error","message":"Invalid request body: message.content: …",
 "request_id":"0b7f4a52-…","issues":[{"path":"message.content","message":"…"}]}}
\`\`\`

The same request may succeed later where "again" says yes, after the seconds of \`Retry-After\`. What
the body of a request refers to, such as a file, is refused with 400 also where the table says 404. A
file's range that there is not is refused with 416; and what is unavailable is told of a stream with 429.

| Type | Status | Again | Cause | Cure |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
}
