import { CommandError } from "@parley/command/command-error";
import { oneLine, plain, printLine } from "@parley/command/print";
import { bold, dim, red, yellow } from "@parley/command/style";
import { callServer } from "../../connection/call-server.ts";
import type { Chat, Handled, WaitingCall } from "./chat-state.ts";
import { isWaiting } from "./decide-call.ts";
import { printText } from "./print-text.ts";

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
