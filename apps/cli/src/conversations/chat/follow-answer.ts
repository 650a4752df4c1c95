import { describeFailure } from "@parley/command/failures";
import { explainEnd, type MessageEvent, type WaitingCall, waitingOf } from "parley-client";
import { callServer } from "../../connection/call-server.ts";
import { RECONNECT_FOR_MS, reportBreaks } from "../../connection/report-breaks.ts";
import {
  answerFailed,
  describeCall,
  isWritten,
  notesIn,
  referencesOf,
  withNotes,
} from "../read-event.ts";
import type { Answer } from "../send-message.ts";
import { type AnswerView, createAnswerView } from "./answer-view.ts";
import type { Chat, Handled } from "./chat-state.ts";
import { allowTool, answerQuestion, decideCall, isWaiting } from "./decide-call.ts";

/**
 * Shows an answer as it is written, and asks what it waits for. The first Ctrl-C cancels it, a second one leaves it
 * to itself. Returns whether the chat continues. Throws `CommandError` if the server is away for too long.
 */
export async function followAnswer(chat: Chat, answer: Answer): Promise<boolean> {
  const { context } = chat;
  const { parley } = chat.connection;
  const { conversationId, messageId } = answer;
  const view = createAnswerView(context.io);
  const leaving = new AbortController();
  let isAway = false;
  let isCancelling = false;
  let isOver = false;
  const cancel = (): void => {
    isCancelling = true;
    callServer(parley.conversations.cancel({ conversationId, messageIds: [messageId] })).catch(
      (error: unknown) => {
        if (!isOver) view.note(`not cancelled: ${describeFailure(context, error)}`);
      },
    );
  };
  const stopListening = chat.keyboard.onInterrupt(() => {
    if (isCancelling || isAway) leaving.abort();
    else cancel();
  });
  const onState = reportBreaks((line) => {
    isAway = !isAway;
    view.note(line);
  });
  const follow = async (): Promise<boolean> => {
    const options = { signal: leaving.signal, onState, reconnectForMs: RECONNECT_FOR_MS };
    const followed = { ...answer, include: withNotes };
    for await (const event of parley.messages.follow(followed, options)) {
      show(chat, view, event);
      const handled = await handleWaiting(chat, view, event);
      if (handled === "leave") return false;
      if (handled === "cancel") cancel();
    }
    return true;
  };
  chat.lastAnswer = "";
  view.await();
  try {
    return await callServer(follow());
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    view.note("detached: the answer will be in the conversation");
    return true;
  } finally {
    isOver = true;
    stopListening();
    view.finish();
  }
}

function show(chat: Chat, view: AnswerView, event: MessageEvent): void {
  if (isWritten(event, "tokens")) {
    chat.lastAnswer += event.text;
    view.write("answer", event.text);
  }
  if (isWritten(event, "chain_of_thought") && chat.showsReasoning) {
    view.write("reasoning", event.text);
  }
  const happened = describeCall(event);
  if (happened !== undefined) {
    view.note(happened);
    view.await();
  }
  for (const note of notesIn(event)) view.note(note);
  if (event.type === "agent_error") view.fail(answerFailed(event.error).message);
  if (event.type === "agent_message_success") {
    for (const reference of referencesOf(event.message)) view.note(reference);
    const lacks = explainEnd(event.message);
    if (lacks !== undefined) view.note(lacks);
  }
  if (event.type === "agent_generation_cancelled") view.note("cancelled");
}

/** Asks about a call that waits. A log that is read again announces what has been decided, too. */
async function handleWaiting(chat: Chat, view: AnswerView, event: MessageEvent): Promise<Handled> {
  const waiting = waitingOf(event);
  if (waiting === undefined || !(await isWaiting(chat.connection, waiting.call))) return "done";
  view.finish();
  const handled = await handle(chat, waiting);
  if (handled === "done") view.await();
  return handled;
}

async function handle(chat: Chat, { kind, call }: WaitingCall): Promise<Handled> {
  switch (kind) {
    case "approval":
      return decideCall(chat, call);
    case "question":
      return answerQuestion(chat, call);
    case "permission":
      return allowTool(chat, call);
    default:
      return kind satisfies never;
  }
}
