import { commonErrors, type Endpoint, endpoints, isAboutCaller, isKeyed } from "@parley/schema";
import { endpointGroups, type Group, groupOf } from "./groups.ts";
import { type JsonSchema, readDocument, type RoutedOperation, rows } from "./open-api.ts";
import { cell, renderMembers, renderModel } from "./rows.ts";
import { hasMembers, modelOf, type Names, renderType } from "./types.ts";

/** Members of an answer that are named where it is; of more there is a section. */
const MOST_MEMBERS = 6;

/** What headings are called in URLs. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

/** Where the page about events has those of a stream. */
const eventSections: Readonly<Record<string, string>> = {
  MessageEvent: "events-of-an-answer",
  ConversationEvent: "events-of-a-conversation",
  InvocationEvent: "events-of-an-invocation",
};

/** The pages of the operations by their files, with the index of all of them, and what leads to their models. */
export interface EndpointPages {
  readonly pages: ReadonlyMap<string, string>;
  readonly models: Names["models"];
  /** A link from a page beside the folder of these to the section of a model; nothing if none has one. */
  linkBeside(name: string): string | undefined;
}

/** Renders a page for each group: its operations, and the models that none before it has. */
export function renderEndpointPages(): EndpointPages {
  const { operations, models } = readDocument();
  /** Where each model has its section. */
  const places = new Map<string, Group>();
  const pages = new Map<string, string>();
  for (const group of endpointGroups) {
    const own: string[] = [];
    const link = (name: string): string => {
      const section = eventSections[name];
      if (section !== undefined) return `[${name}](../events.md#${section})`;
      const place = places.get(name) ?? group;
      if (!places.has(name)) {
        places.set(name, group);
        own.push(name);
      }
      return `[${name}](${place === group ? "" : `${place.file}.md`}#${anchorOf(name)})`;
    };
    const names = { models, link };
    const sections = operations
      .filter(({ operationId }) => groupOf(operationId) === group)
      .map((operation) => ({
        heading: operation.operationId,
        text: renderOperation(operation, names),
      }));
    // Models refer to further ones, which are added while the list is gone through.
    const objects = [];
    for (const name of own) {
      objects.push({ heading: name, text: renderModel(models[name] ?? {}, names) });
    }
    const sorted = objects.toSorted((one, other) => (one.heading < other.heading ? -1 : 1));
    requireDistinct([...sections, ...objects].map(({ heading }) => heading));
    const all = (some: typeof sections) =>
      some.map(({ heading, text }) => `### ${heading}\n\n${text}`).join("\n\n");
    pages.set(
      `endpoints/${group.file}.md`,
      `# ${group.title}: endpoints

This page lists the operations ${group.about}.
[Endpoints](../endpoints.md) explains how to read it, and lists the operations of all pages.

## Operations

${all(sections)}
${sorted.length === 0 ? "" : `\n## Objects\n\n${all(sorted)}\n`}`,
    );
  }
  pages.set("endpoints.md", renderIndex(operations));
  const linkBeside = (name: string): string | undefined => {
    const place = places.get(name);
    return place && `[${name}](endpoints/${place.file}.md#${anchorOf(name)})`;
  };
  return { pages, models, linkBeside };
}

/** The page that lists the operations of all pages, and says what holds for all. */
function renderIndex(operations: readonly RoutedOperation[]): string {
  const tables = endpointGroups.map((group) => {
    const own = operations.filter(({ operationId }) => groupOf(operationId) === group);
    const lines = own.map(({ operationId: name, summary, routes }) => {
      const row = rows[name];
      const isTransfer =
        row !== undefined && ["upload", "multipart", "download"].includes(row.kind);
      const cells = [
        `[${summary}](endpoints/${group.file}.md#${anchorOf(name)})`,
        row?.role ?? "",
        row === undefined || row.scope === null ? "" : `\`${row.scope}\``,
        routes.map((route) => `\`${route}\``).join(", "),
        name in endpoints && !isTransfer ? `\`${name}\`` : "",
      ];
      return `| ${cells.join(" | ")} |`;
    });
    return [
      `## ${group.title}\n`,
      "| Operation | Least role | Token scope | REST | RPC |",
      "| --- | --- | --- | --- | --- |",
      ...lines,
    ].join("\n");
  });
  const common = commonErrors.map((type) => `\`${type}\``).join(", ");
  return `# Endpoints

This page lists every operation of the server. Each leads to its parameters, its answers and its errors. A running
server has the same as \`/openapi.json\`, and a page that tries each call at \`/docs/api\`.

How to read the pages:

- A name in **bold** is required in requests, and always present in answers.
- The id of the workspace, \`wId\` in the path, is not listed again for each operation.
- **Role** is the least role of a key: none < user < builder < admin, or an operator key. **Scope** is what a user's
  token needs; without one, no token may call the operation. [Access](../access.md) has the details.
- **Limit** names the [rate limit](../guide/limits.md) that the call counts against.
- With \`Idempotency-Key\`, the operation takes [that header](../guide/idempotency.md), and may refuse a request with
  \`idempotency_key_mismatch\` or \`idempotency_key_in_use\`.
- **Errors** are those of the operation itself. Every operation that needs a key can also answer
  ${common};
  all but streams, \`service_unavailable\`; requests with a body, \`content_too_large\`; and requests that store
  something, \`budget_exceeded\`. [Errors](errors.md) explains each.
- Over the RPC, the input is one object with all parameters.

${tables.join("\n\n")}
`;
}

/** Headings of one page lead to different places. */
function requireDistinct(headings: readonly string[]): void {
  const anchors = headings.map(anchorOf);
  const twice = anchors.find((anchor, index) => anchors.indexOf(anchor) !== index);
  if (twice !== undefined) throw new Error(`Two headings are called #${twice}`);
}

function renderOperation(operation: RoutedOperation, names: Names): string {
  const { operationId, summary, routes, parameters = [] } = operation;
  const row = rows[operationId];
  const shown = parameters.filter(
    ({ name, in: place }) => name !== "wId" && !(place === "header" && name === "Idempotency-Key"),
  );
  const members = [
    ...shown.map(({ name, in: place, required, description = "", schema }) => {
      const bold = required ? `**\`${name}\`**` : `\`${name}\``;
      return `| ${bold} | ${place} | ${cell(renderType(schema, names))} | ${cell(description)} |`;
    }),
    ...renderBody(operation, names),
  ];
  const head = ["| Parameter | In | Type | Description |", "| --- | --- | --- | --- |"];
  const errors = errorsOf(operation, row).map((type) => `\`${type}\``);
  return [
    `${summary}.`,
    routes.map((route) => `\`${route}\``).join(", "),
    describeCallers(operation, row).join(" · "),
    ...(members.length === 0 ? [] : [[...head, ...members].join("\n")]),
    renderAnswers(operation, row, names),
    ...(errors.length === 0 ? [] : [`Errors: ${errors.join(", ")}`]),
  ].join("\n\n");
}

/** The errors of the operation itself; those that the document names, if it has no row. */
function errorsOf({ responses }: RoutedOperation, row: Endpoint | undefined): readonly string[] {
  if (row !== undefined) return row.errors;
  return Object.values(responses).flatMap(({ $ref = "" }) => $ref.split(".").slice(2));
}

function describeCallers({ security }: RoutedOperation, row: Endpoint | undefined): string[] {
  if (row === undefined) return [security?.length === 0 ? "No key" : "Any key"];
  const role = isAboutCaller(row) ? "Any credential" : `Role ${row.role}`;
  return [
    role,
    ...(row.scope === null ? [] : [`scope \`${row.scope}\``]),
    `limit \`${row.rateLimit}\``,
    ...((row.kind === "json" || row.kind === "door") && isKeyed(row) ? ["`Idempotency-Key`"] : []),
  ];
}

function renderBody({ requestBody }: RoutedOperation, names: Names): string[] {
  const [[type, content] = []] = Object.entries(requestBody?.content ?? {});
  if (content?.schema === undefined) return [];
  const place = type === "multipart/form-data" ? "form" : "body";
  const schema = wholeOf(content.schema, names);
  if (hasMembers(schema)) return renderMembers(schema, names, { place });
  return [`| (whole body) | ${place} | ${cell(renderType(content.schema, names))} | |`];
}

/** The model that a schema refers to, or is put together from. */
function wholeOf(schema: JsonSchema, names: Names): JsonSchema {
  const model = names.models[modelOf(schema) ?? ""] ?? schema;
  if (model.allOf === undefined) return model;
  const parts = model.allOf.map((part) => wholeOf(part, names));
  const properties = parts.map((part) => part.properties ?? {});
  return {
    properties: Object.assign({}, ...properties) as Record<string, JsonSchema>,
    required: parts.flatMap(({ required = [] }) => required),
  };
}

function renderAnswers(
  operation: RoutedOperation,
  row: Endpoint | undefined,
  names: Names,
): string {
  const answers = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([status, { content = {} }]) => {
      const said = Object.entries(content).map(([type, { schema = {} }]) => {
        if (type === "application/json") return renderAnswer(schema, names);
        if (type !== "text/event-stream") return type === "*/*" ? "the bytes" : `\`${type}\``;
        const { contentSchema } = schema;
        return contentSchema === undefined
          ? "a stream"
          : `a stream of ${renderType(contentSchema, names)}`;
      });
      return `\`${status}\`${said.length === 0 ? "" : ` with ${said.join(", or ")}`}`;
    });
  const isRedirected = row?.kind === "stream" ? "`307` to the stream, which answers " : "";
  return `Answers: ${isRedirected}${answers.join("; ")}`;
}

function renderAnswer(schema: JsonSchema, names: Names): string {
  const { properties = {}, required = [] } = wholeOf(schema, names);
  const members = Object.entries(properties);
  if (members.length === 0 || members.length > MOST_MEMBERS) return renderType(schema, names);
  return members
    .map(([name, member]) => {
      const bold = required.includes(name) ? `**\`${name}\`**` : `\`${name}\``;
      return `${bold}: ${renderType(member, names)}`;
    })
    .join("; ");
}
