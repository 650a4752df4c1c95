import { oneLine, printLine } from "@parley/command/print";
import { callServer } from "../connection/call-server.ts";
import { connect } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { shortTime } from "../terminal/short-time.ts";

const ways = {
  word: "by words",
  "re-ranked": "by words, in the order of their meaning",
  exact: "by words and meaning",
  hnsw: "by words and meaning, with an index",
} as const;

/** Prints how the documents of a workspace are searched. */
export async function showStatus(context: Context, options: ServerOptions): Promise<void> {
  const { io, rpc, wId } = await connect(context, options);
  const status = await callServer(rpc.knowledge.status.query({ wId }));
  if (options.json === true) return printLine(io, JSON.stringify(status));
  const { mode, embedding, parts, embeddedParts } = status;
  printLine(io, `Documents are found ${ways[mode]} (${mode})`);
  if (embedding === null) return printLine(io, `${parts} parts, and no model that makes vectors`);
  const { providerId, modelId, dimensions, state, problem, retryAt, isReplacing } = embedding;
  const size = dimensions === null ? "" : `, ${dimensions} dimensions`;
  printLine(io, oneLine(`Model: ${providerId}/${modelId}${size}`));
  printLine(io, `Parts with a vector: ${embeddedParts} of ${parts} (${state})`);
  if (isReplacing) printLine(io, "Until all have one, the vectors of the model before are used");
  if (problem !== null) {
    printLine(io, oneLine(`Stopped until ${shortTime(retryAt)}: ${problem}`));
  }
}
