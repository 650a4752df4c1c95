import type { Io } from "@parley/command/io";
import { oneLine, plain } from "@parley/command/print";
import { bold, dim } from "@parley/command/style";
import type { Action } from "@parley/schema";
import type { Output } from "parley-client";
import { shortTime } from "../terminal/short-time.ts";
import { referencesOf } from "./read-event.ts";

type Conversation = Output<"conversations.get">["conversation"];
type Message = Conversation["content"][number][number];
type AgentMessage = Extract<Message, { readonly type: "agent_message" }>;

/** Lines of a message that are shown. */
const MAX_LINES = 200;
/** Characters of a line that are shown, also of the parameters of a call. */
const MAX_LINE = 2000;
const MAX_PARAMS = 200;

/** Where a part of what there is was left out, and how to see it. */
const REST = "--json prints all";

/** The lines that show a conversation to a person: each message with who wrote it, when, and what came of it. */
export function renderTranscript(io: Io, { sId, title, content }: Conversation): string[] {
  // Of the versions of a message, the newest.
  const messages = content.flatMap((versions) => versions.at(-1) ?? []);
  return [
    bold(io, oneLine(title === null ? sId : `${title} (${sId})`)),
    ...messages.flatMap((message) => ["", ...renderMessage(io, message)]),
  ];
}

function renderMessage(io: Io, message: Message): string[] {
  const { created, sId, version } = message;
  const edited = version > 0 ? `, version ${version + 1}` : "";
  const about = dim(io, `${shortTime(created)}  ${sId}${edited}`);
  return [
    `${bold(io, oneLine(authorOf(message)))}  ${about}`,
    ...linesOf(io, message).map((line) => (line === "" ? "" : `  ${line}`)),
  ];
}

function authorOf(message: Message): string {
  if (message.type === "user_message") return message.user.fullName || message.context.username;
  if (message.type === "agent_message") return message.configuration.name;
  return message.context.fullName ?? message.context.username;
}

function linesOf(io: Io, message: Message): string[] {
  const note = (line: string): string => dim(io, cut(oneLine(line), MAX_LINE));
  if (message.visibility === "deleted") return [note("deleted")];
  if (message.type === "user_message") return textOf(message.content);
  if (message.type === "content_fragment") {
    return [note(`attached ${message.title} (${message.contentType})`)];
  }
  return [
    ...message.actions.flatMap((action) => callLines(action)).map(note),
    ...textOf(message.content),
    ...endOf(message).map(note),
  ];
}

/** A tool call in a line, and the files that it wrote. */
function callLines(action: Action): string[] {
  const { functionCallName, params, status, executionDurationMs: ms, generatedFiles } = action;
  const given = cut(JSON.stringify(params), MAX_PARAMS);
  const duration = ms === null ? "" : ` in ${ms} ms`;
  return [
    `called ${functionCallName} ${given}: ${status}${duration}`,
    ...generatedFiles.map(
      ({ title, fileId, filePath }) => `wrote ${title} (${fileId ?? filePath})`,
    ),
  ];
}

/** What follows the text of an answer. */
function endOf({ status, error, notes = [], ...message }: AgentMessage): string[] {
  const why = error === null ? "" : `: ${error.code}: ${error.message}`;
  const end = status === "created" ? "not ended yet" : `${status}${why}`;
  return [
    ...referencesOf(message),
    ...notes.map((note) => note.message),
    ...(status === "succeeded" ? [] : [end]),
  ];
}

function textOf(text: string): string[] {
  const trimmed = plain(text).trimEnd();
  if (trimmed === "") return [];
  const lines = trimmed.split("\n");
  const left = lines.length - MAX_LINES;
  const shown = lines.slice(0, MAX_LINES).map((line) => cut(line, MAX_LINE));
  return left > 0 ? [...shown, `… ${left} more lines; ${REST}`] : shown;
}

const cut = (line: string, length: number): string =>
  line.length > length ? `${line.slice(0, length)}… (${REST})` : line;
