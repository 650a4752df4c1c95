import { oneLine, printLine, reportLine } from "@parley/command/print";
import { dim } from "@parley/command/style";
import { callServer } from "../connection/call-server.ts";
import { connect } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";

interface SearchOptions extends ServerOptions {
  readonly source?: readonly string[] | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly limit: string;
}

/** Characters of a part that are shown. */
const SHOWN_CHARACTERS = 240;

/** Prints the parts of documents that match a query best. */
export async function searchParts(
  context: Context,
  query: string,
  { source, tag, limit, ...options }: SearchOptions,
): Promise<void> {
  const { io, parley } = await connect(context, options);
  const named = { dataSourceIds: source && [...source], tags: tag && [...tag] };
  const call = parley.knowledge.search({ query, limit: Number(limit), ...named });
  const answer = await callServer(call);
  if (options.json === true) return printLine(io, JSON.stringify(answer));
  if (answer.modeReason !== null) reportLine(io, oneLine(`By words only: ${answer.modeReason}`));
  if (answer.parts.length === 0) return printLine(io, "No matching documents");
  for (const [index, part] of answer.parts.entries()) {
    const { title, headings, dataSourceName, documentId, content } = part;
    const place = [title, ...headings.filter((heading) => heading !== title)].join(" > ");
    printLine(io, oneLine(`${index + 1}. ${place} (${dataSourceName}: ${documentId})`));
    const text = oneLine(content.replaceAll(/\s+/g, " "));
    const isCut = text.length > SHOWN_CHARACTERS;
    const shown = isCut ? `${text.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : text;
    printLine(io, dim(io, `   ${shown}`));
  }
}
