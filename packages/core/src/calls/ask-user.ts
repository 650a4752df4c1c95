/** The tool with which an agent asks its user: the turn is suspended until the answer. */
import {
  type AnswerQuestion,
  canonicalJson,
  invalidRequest,
  type Success,
  UserQuestion,
} from "@parley/schema";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { lockLogs } from "../log/lock-logs.ts";
import { wakeTurns } from "../runs/suspend-turns.ts";
import { callStatus, outputOf } from "./call-states.ts";
import {
  decidedBy,
  describeDecided,
  endDecided,
  refuseDecision,
  requireAction,
  requireAnswer,
} from "./decided-calls.ts";
import { readTaskRoot } from "./task-path.ts";

/** The tool as a model is shown it. */
export const askUserTool = {
  name: "ask_user",
  description:
    "Asks the user a question and returns the answer. Use it when you cannot continue without it.",
  inputSchema: {
    type: "object",
    properties: {
      question: { type: "string", description: "The question" },
      options: {
        type: "array",
        description: "Answers to choose from; the user may also answer in their own words",
        items: {
          type: "object",
          properties: { label: { type: "string" }, description: { type: "string" } },
          required: ["label"],
        },
      },
      multiSelect: { type: "boolean", description: "Whether several options may be chosen" },
    },
    required: ["question"],
  },
} as const;

const MAX_OPTIONS = 20;

/** The question of a call; undefined if its parameters are none. */
export function readQuestion(params: Readonly<Record<string, unknown>>): UserQuestion | undefined {
  const { question, options = [], multiSelect = false } = params;
  if (!Array.isArray(options) || options.length > MAX_OPTIONS) return undefined;
  const described = options.map((option: unknown) =>
    typeof option === "object" ? { description: null, ...option } : option,
  );
  const read = UserQuestion.safeParse({ question, options: described, multiSelect });
  return read.success && read.data.question !== "" ? read.data : undefined;
}

interface Answered extends AnswerQuestion {
  readonly cId: string;
  readonly mId: string;
}

/**
 * Answers a question of an agent, which then continues. Repeating an answer changes nothing. Throws
 * `message_not_found`, and `invalid_request_error` for a call that waits for no answer, for an answer that
 * the question does not allow, and for one other than that given before.
 */
export async function answerQuestion(context: KeyedContext, input: Answered): Promise<Success> {
  const { message, conversation } = await requireAnswer(context, input);
  return inTransactionOnce(context, { id: input.actionId }, async (transaction) => {
    const { db, afterCommit } = transaction;
    const root = await readTaskRoot(db, conversation, message.sid);
    // Calls are decided, settled and cancelled under the lock of their message's log.
    await lockLogs(db, [message.sid, ...(root === undefined ? [] : [root.messageId])]);
    const action = await requireAction(db, message, input.actionId);
    const question = readQuestion(action.params);
    const isAnswered = action.decided !== null && action.status === callStatus.succeeded;
    const isAsking = action.status === callStatus.needsAnswer;
    if (question === undefined || !(isAsking || isAnswered)) {
      throw refuseDecision(`the call does not wait for an answer: it is ${action.status}`);
    }
    const output = outputOf(textOfAnswer(question, input.answer));
    if (isAnswered) {
      if (canonicalJson(output) === canonicalJson(action.output)) return { success: true };
      throw refuseDecision(
        `the question was already answered${describeDecided(action)}, differently`,
      );
    }
    const decided = decidedBy(context);
    const status = callStatus.succeeded;
    const ended = { ...action, status, output, decided, updatedAt: decided.at };
    await endDecided(context, transaction, { message, root, ended: [ended] });
    await wakeTurns(db, [message.sid], afterCommit);
    return { success: true };
  });
}

/** The answer as the model is given it: a line for each chosen option, and what the user has written. */
function textOfAnswer(
  { options, multiSelect }: UserQuestion,
  { selectedOptions, customResponse }: AnswerQuestion["answer"],
): string {
  const refuse = (path: string, message: string) =>
    invalidRequest("body", [{ path: `answer.${path}`, message }]);
  const chosen = [...new Set(selectedOptions)].map((place, index) => {
    const option = options[place];
    if (option !== undefined) return option.label;
    throw refuse(`selectedOptions[${index}]`, `the question has ${options.length} options`);
  });
  if (chosen.length > 1 && !multiSelect) throw refuse("selectedOptions", "only one may be chosen");
  const lines = [...chosen, ...(customResponse ? [customResponse] : [])];
  if (lines.length === 0)
    throw refuse("selectedOptions", "must not be empty without customResponse");
  return lines.join("\n");
}
