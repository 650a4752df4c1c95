import {
  acceptedTypes,
  type Endpoint,
  endpoints,
  errorTable,
  type FileReading,
  pathsOf,
  webhookEventNames,
  webhookEvents,
} from "@parley/schema";
import { describeSettings } from "@parley/server";

/** The table of the settings, for the page about operations. */
export function renderSettings(): string {
  const rows = describeSettings().map(
    ({ name, byDefault, description }) =>
      `| \`${name}\` | ${byDefault && `\`${byDefault}\``} | ${description} |`,
  );
  return ["| Variable | Default | What it is |", "| --- | --- | --- |", ...rows].join("\n");
}

const readings: Readonly<Record<FileReading, string>> = {
  text: "its text, the first 128 KiB",
  page: "the text that a reader would see, of the first 64 KiB",
  pdf: "its text, page by page",
  docx: "its paragraphs, tables and notes",
  xlsx: "its sheets, a line for each row",
  pptx: "its slides in order, with their notes",
  rtf: "its text",
  image: "title and type",
  audio: "title and type",
  stored: "title and type",
};

/** The table of the files that are accepted, for the page about files. */
export function renderFileTypes(): string {
  const rows = acceptedTypes.map(({ name, types, extensions, maxBytes, signatures, reading }) => {
    const size = maxBytes === null ? "`PARLEY_MAX_FILE_BYTES`" : `${maxBytes / 1_048_576} MiB`;
    const listed = (all: readonly string[]) => all.map((one) => `\`${one}\``).join(", ");
    const looked = signatures.length > 0 ? "yes" : "";
    return `| ${name} | ${listed(types)} | ${listed(extensions)} | ${size} | ${looked} | ${readings[reading]} |`;
  });
  return [
    "| Files | `contentType` | Extensions | At most | Content checked | What an agent reads |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

/** The table of the events of webhooks, for the page about them. */
export function renderWebhookEvents(): string {
  const rows = webhookEventNames.map((name) => {
    const { summary, data } = webhookEvents[name];
    const members = Object.keys(data).map((member) => `\`${member}\``);
    return `| \`${name}\` | ${summary} | ${members.join(", ")} |`;
  });
  return ["| Event | What happened | Beside `workspaceId` |", "| --- | --- | --- |", ...rows].join(
    "\n",
  );
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
    const paths = endpoint.kind === "json" ? pathsOf(endpoint) : [endpoint.path];
    const route = paths.map((path) => `\`${endpoint.method} ${path}\``).join(", ");
    const isTransfer = ["upload", "multipart", "download"].includes(endpoint.kind);
    const rpc = isTransfer ? "" : `\`${name}\``;
    const scope = endpoint.scope === null ? "" : `\`${endpoint.scope}\``;
    return `| ${endpoint.summary} | ${endpoint.role} | ${scope} | ${route} | ${rpc} |`;
  });
  return `# Access

This page lists the role that each operation needs. A workspace's key has a role: none < user < builder <
admin. The table has each operation's least role, and the scope that a user token needs to call it.

A key can see the open spaces of its workspace and the restricted ones that it was given. Resources in other
spaces do not exist for it, whatever its role: conversations with their texts, files and invocations by their
agents, data source views and their nodes, tools, and the skills that need one of these. Admins decide which
keys can see a space, even one that their own key cannot see, and the audit log records their decisions.
An open stream ends as soon as its key would be refused. An operator key can call everything whose path begins
with /api/admin, in any workspace, and nothing else. These operations refuse unknown fields; over the
RPC, all operations do. Every credential with a role may call the operations of /api/session, which are about itself.

## Sessions

A page of this server acts as a key, or as a user token, through a session: a cookie that scripts cannot read and
other sites cannot send. \`POST /api/session\` opens one with the credential in the \`Authorization\` header, or with a code
from \`POST /api/session/codes\`, which works once, within ten minutes. The cookie counts only in requests with
the header \`x-parley-session\`, whose value from 1 to 5 says which of the browser’s sessions it is, from pages of the same origin, at an IP address, localhost or the host of
\`PARLEY_PUBLIC_URL\`. It ends after 12 hours, when the page signs out, and with its credential.

## Who sees which conversations

Each conversation belongs to one user: the author of its first message, which is the member with the e-mail
address of its \`context\`, or else the service user of the key. Uploaded files and invocations belong to the user
who announced or invoked them. What a caller sees of them:

| Caller | Conversations, uploaded files and invocations |
| --- | --- |
| a key of role builder or admin | all in the workspace |
| a key of role user | those created under the key, and conversations in a space that it can see |
| a user token | those of its user that its key can see too |

The content of a space is shared with the keys that can see the space; nothing else is shared. In particular, every
conversation has the visibility \`unlisted\`, which shares it with nobody, and a file that is in a shared
conversation stays the announcer's: others see its title and the beginning of its text. Files that were
uploaded before their keys were stored stay readable by every key. A resource that a caller cannot see gives the
same response as one that does not exist.

## User tokens

Any key of role user or higher creates [tokens](guide/users.md) with \`userTokens.create\`, for users of its own
workspace; operators and tokens create none. A key of role user revokes its own tokens, others revoke all. A
token acts as its user, under its key:

- It never sees more than the key: only the restricted spaces that it was given, as long as the key can see
  them, and only those of its user's conversations that the key can see.
- It has the role user, whatever the role of the key, and needs a scope for each operation.
- Its user is the author of its messages, whatever their \`context\` says. For keys, \`context.email\` selects an existing member;
  no \`context\` creates or changes a user.
- It ends at its expiry, when it is revoked, when its key is revoked, disabled or expires, and when its user is
  removed, and its streams end with it.
- Its calls count against limits of its user, of the key and of the workspace.

Only builders' and admins' keys may give a new user's e-mail address: a member who has that
address becomes the user.

## OpenID Connect

With \`PARLEY_OIDC_ISSUER\` ([settings](operations.md#every-setting)), the tokens of one issuer are accepted as user
tokens, with all scopes: the claim \`sub\` is the user's external id. A first token creates the user, or becomes
the member who has its address if the issuer has verified it (\`email_verified\`). Each workspace gets a key for
the issuer, in whose name they act: admins give it spaces, disable it, or lower its role to user, after which
its users see only what was created under it. A user who was removed stays refused until an admin adds the
address again.

## Operations

/livez, /readyz, /openapi.json, all below /docs, /llms.txt, the pictures under /pictures and the pages that \`url\` of a
conversation leads to need no key, and neither does /metrics on its own port. Those pages explain how to read a
conversation; they are the same for every id, and read nothing. No key is needed either for /oauth/client-metadata.json,
Parley's client metadata for [authorization servers](guide/tools.md#let-each-user-authorize-it), and for /oauth/callback
and /oauth/callback/document, to which these send browsers back with a state that works once. The
[MCP server](guide/mcp-server.md) at /mcp has no operations of its own: each of its tools needs what the operations
that it calls need.

| Operation | Least role | Token scope | REST | RPC |
| --- | --- | --- | --- | --- |
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

This page lists every error type with its cause and its cure. Every error has the same shape. \`type\` is
stable and for programs; \`message\` is for people. \`request_id\` identifies the request in the server's log.
\`issues\`, if any, name the fields.

\`\`\`json
{"error":{"type":"invalid_request_error","message":"Invalid request body: message.content: …",
 "request_id":"0b7f4a52-…","issues":[{"path":"message.content","message":"…"}]}}
\`\`\`

If "Retry" says yes, the same request may succeed after \`Retry-After\` seconds. An unknown reference in
the body of a request, such as a file, is refused with 400 although the table says 404. An unsatisfiable range
of a file is refused with 416. A stream that is unavailable is refused with 429.

| Type | Status | Retry | Cause | Cure |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
}
