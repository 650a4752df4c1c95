import { describeSettings } from "parley-server";
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

/** The page about access: a row for each endpoint. */
export function renderAccess(): string {
  const rows = Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => {
    const route = endpoint.kind === "rpc" ? "" : `\`${endpoint.method} ${endpoint.path}\``;
    const isTransfer = ["upload", "multipart", "download"].includes(endpoint.kind);
    const rpc = isTransfer ? "" : `\`${name}\``;
    return `| ${endpoint.summary} | ${endpoint.role} | ${route} | ${rpc} |`;
  });
  return `# Access

This page says which role each operation needs. A key of a workspace has a role: none < user < builder <
admin. The table names the least role of each operation.

A key reaches the open spaces of its workspace and the restricted ones that it was given. Resources in other
spaces are unknown to it, whatever its role: conversations with their texts, files and invocations by their
agents, data source views and their nodes, tools, and the skills that need one of these. Admins decide which
keys reach a space, also a space that their own key does not reach, and the audit log records their decisions.
An open stream ends as soon as its key would be refused. An operator key does everything that is administered
over the RPC, in any workspace, and nothing else.

/livez, /readyz, /openapi.json, /docs, /llms.txt and the pictures under /pictures need no key, and neither
does /metrics on its own port.

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

This page lists every error type, with its cause and its cure. Every error has the same form. \`type\` is
stable and for programs; \`message\` is for people. \`request_id\` finds the request in the server's log.
\`issues\`, if there are any, name the fields.

\`\`\`json
{"error":{"type":"invalid_request_error","message":"Invalid request body: message.content: …",
 "request_id":"0b7f4a52-…","issues":[{"path":"message.content","message":"…"}]}}
\`\`\`

If "Again" says yes, the same request may succeed after the seconds of \`Retry-After\`. An unknown reference in
the body of a request, such as a file, is refused with 400 although the table says 404. An unsatisfiable range
of a file is refused with 416. A stream that is unavailable is refused with 429.

| Type | Status | Again | Cause | Cure |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
}
