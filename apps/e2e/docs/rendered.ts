import {
  acceptedTypes,
  errorTable,
  type FileReading,
  webhookEventNames,
  webhookEvents,
} from "@parley/schema";
import { describeSettings } from "@parley/server";

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
