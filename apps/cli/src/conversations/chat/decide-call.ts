import { CommandError } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { oneLine, plain, printLine } from "@parley/command/print";
import { bold, dim, red, yellow } from "@parley/command/style";
import { callServer } from "../../connection/call-server.ts";
import type { Chat, Handled, WaitingCall } from "./chat-state.ts";
import { printText } from "./print-text.ts";

/** Longer inputs are cut, until somebody asks for all of them. */
const MAX_LINES = 20;
const MAX_LENGTH = 2000;

type Inputs = Readonly<Record<string, unknown>>;
type Decision = "approved" | "rejected" | "always_approved";

const decisions: Readonly<Record<string, Decision>> = {
  y: "approved",
  yes: "approved",
  n: "rejected",
  no: "rejected",
  a: "always_approved",
};

/** Asks whether a call may be made: once or always, also with other inputs. */
export async function decideCall(
  { context: { io }, connection, keyboard }: Chat,
  call: WaitingCall<"tool_approve_execution">,
): Promise<Handled> {
  const { conversationId, messageId, actionId, stake, metadata } = call;
  const mayAlways = stake === "low" || stake === "medium";
  const later = stake === "low" ? "all later calls" : "all later calls by this agent";
  let inputs: Inputs = call.inputs;
  let changed: Inputs | undefined;
  printText(io, "");
  printText(
    io,
    `${yellow(io, "?")} ${bold(io, oneLine(metadata.agentName))} asks to call ${bold(io, oneLine(metadata.toolName))} of ${oneLine(metadata.mcpServerName)}, stake ${stake}`,
  );
  let isCut = showInputs(io, inputs);
  for (;;) {
    const keys = [
      "y approves",
      "n rejects",
      ...(mayAlways ? [`a approves ${later}`] : []),
      "e edits",
    ];
    if (isCut) keys.push("v shows everything");
    printText(io, dim(io, keys.join(", ")));
    const typed = await keyboard.read({ prompt: "y/n> " });
    if (typed.kind !== "line") return typed.kind === "end" ? "leave" : "cancel";
    const key = typed.text.trim().toLowerCase();
    if (key === "v") isCut = showInputs(io, inputs, { isWhole: true });
    if (key === "e") {
      const edited = await keyboard.read({ prompt: "inputs> ", start: JSON.stringify(inputs) });
      if (edited.kind === "end") return "leave";
      if (edited.kind === "interrupt") continue;
      const parsed = parseInputs(edited.text);
      if (parsed === undefined) printText(io, red(io, "The inputs must be a JSON object"));
      else {
        inputs = changed = parsed;
        isCut = showInputs(io, inputs);
      }
    }
    const approved = decisions[key];
    if (approved === undefined || (approved === "always_approved" && !mayAlways)) continue;
    const params = approved === "rejected" ? undefined : changed;
    try {
      await callServer(
        connection.parley.messages.validateAction({
          conversationId,
          messageId,
          actionId,
          approved,
          ...(params !== undefined && { params }),
        }),
      );
      return "done";
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      printText(io, red(io, error.message));
      if (!(await isWaiting(connection, call))) return "done";
    }
  }
}

/** Whether a call still waits: somebody may have decided elsewhere. */
export async function isWaiting(
  { parley }: Chat["connection"],
  { conversationId, actionId }: { readonly conversationId: string; readonly actionId: string },
): Promise<boolean> {
  const waiting = await callServer(parley.conversations.listBlockedActions({ conversationId }));
  return waiting.blockedActions.some((one) => one.actionId === actionId);
}

/** Shows the inputs of a call; returns whether they were cut. */
function showInputs(io: Io, inputs: Inputs, { isWhole = false } = {}): boolean {
  const text = plain(JSON.stringify(inputs, null, 2));
  const first = text.split("\n").slice(0, MAX_LINES).join("\n").slice(0, MAX_LENGTH);
  const shown = isWhole ? text : first;
  printLine(io, shown);
  const left = text.length - shown.length;
  if (left > 0) printText(io, dim(io, `… and ${left} more characters`));
  return left > 0;
}

function parseInputs(text: string): Inputs | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    // An object of JSON has names alone.
    return isObject ? (value as Inputs) : undefined;
  } catch {
    return undefined;
  }
}

/** Leads to the page on which the user lets a tool's server be called; the answer continues by itself after it. */
export async function allowTool(
  { context: { io }, connection }: Chat,
  { metadata, authError }: WaitingCall<"tool_personal_auth_required">,
): Promise<Handled> {
  printText(io, "");
  printText(
    io,
    `${yellow(io, "?")} ${bold(io, oneLine(metadata.agentName))} waits: ${oneLine(authError.message)}`,
  );
  try {
    const toolId = metadata.mcpServerId;
    const start = connection.parley.toolAuthorizations.start({ toolId });
    const { authorization } = await callServer(start);
    const url = readPage(authorization.authorizationUrl);
    printLine(io, `Open ${url}`);
    printText(io, dim(io, "The answer continues once you allow it there; Ctrl-C cancels it"));
    const { default: open } = await import("open");
    // If there is no browser, the page can be opened elsewhere.
    await open(url).catch(() => {});
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    printText(io, red(io, error.message));
  }
  return "done";
}

/** The URL of a page. Throws `CommandError` for one that a browser should not be given: other programs open it. */
function readPage(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url.href;
  throw new CommandError(
    "The tool's authorization server returned no page: allow it in parley console",
  );
}

type Question = WaitingCall<"tool_ask_user_question">["question"];

/** Asks what an agent wants to know: options by their numbers, or words. */
export async function answerQuestion(
  { context: { io }, connection, keyboard }: Chat,
  call: WaitingCall<"tool_ask_user_question">,
): Promise<Handled> {
  const { conversationId, messageId, actionId, question, metadata } = call;
  printText(io, "");
  printText(
    io,
    `${yellow(io, "?")} ${bold(io, oneLine(metadata.agentName))} asks: ${plain(question.question)}`,
  );
  question.options.forEach(({ label, description }, index) => {
    const meaning = description === null ? "" : dim(io, `: ${oneLine(description)}`);
    printLine(io, `  ${index + 1}. ${oneLine(label)}${meaning}`);
  });
  printText(io, dim(io, hintFor(question)));
  for (;;) {
    const typed = await keyboard.read({ prompt: "answer> " });
    if (typed.kind !== "line") return typed.kind === "end" ? "leave" : "cancel";
    if (typed.text.trim() === "") continue;
    const answer = readAnswer(typed.text.trim(), question);
    try {
      await callServer(
        connection.parley.messages.answerQuestion({ conversationId, messageId, actionId, answer }),
      );
      return "done";
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      printText(io, red(io, error.message));
      if (!(await isWaiting(connection, call))) return "done";
    }
  }
}

function hintFor({ options, multiSelect }: Question): string {
  if (options.length === 0) return "Answer in your own words";
  return `${multiSelect ? "Numbers, as in 1,2" : "A number"}, or your own words`;
}

/** Numbers choose options; anything else is an answer in own words. */
function readAnswer(text: string, { options }: Question) {
  const numbers = /^\d+(?:\s*,\s*\d+)*$/.test(text) ? text.split(",").map(Number) : [];
  const isChoice = numbers.length > 0 && numbers.every((one) => one >= 1 && one <= options.length);
  return isChoice
    ? { selectedOptions: numbers.map((one) => one - 1) }
    : { selectedOptions: [], customResponse: text };
}
