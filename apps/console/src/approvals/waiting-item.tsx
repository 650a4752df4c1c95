import { Link } from "@tanstack/react-router";
import { type WaitingCall as CallAndKind, waitingOf } from "parley-client";
import { type ContextType, useMemo } from "react";
import { useParley } from "../api/use-session.ts";
import { ApprovalForm } from "../conversations/approval-form.tsx";
import { QuestionForm } from "../conversations/question-form.tsx";
import { TalkContext } from "../conversations/talk-context.ts";
import { AllowTool } from "../conversations/tool-call.tsx";
import { Time } from "../ui/time.tsx";
import type { WaitingCall } from "./use-waiting.ts";

interface WaitingItemProps {
  readonly call: WaitingCall;
  /** Called after a decision. */
  readonly onDone: () => Promise<void>;
}

/** A waiting call with its decisions and a link to its conversation. */
export function WaitingItem({ call, onDone }: WaitingItemProps) {
  const parley = useParley();
  const { conversationId } = call;
  const actions = useMemo(
    (): Talk => ({
      conversationId,
      decide: async ({ messageId, actionId }, approved) => {
        await parley.messages.validateAction({ conversationId, messageId, actionId, approved });
        return true;
      },
      answer: async ({ messageId, actionId }, given) => {
        const answer =
          typeof given === "string" ? { selectedOptions: [], customResponse: given } : given;
        await parley.messages.answerQuestion({ conversationId, messageId, actionId, answer });
        return true;
      },
      retry: async (messageId) => {
        await parley.messages.retry({ conversationId, messageId });
        return true;
      },
    }),
    [parley, conversationId],
  );
  return (
    <li className="grid gap-2">
      <p className="flex flex-wrap gap-x-3 text-sm text-muted">
        <span>
          Waiting since <Time at={call.created} />
        </span>
        <Link
          to="/conversations/$conversationId"
          params={{ conversationId }}
          className="text-accent underline"
        >
          Conversation with {call.metadata.agentName}
        </Link>
      </p>
      {call.earlierDecisions?.map(({ decision, by, at }) => (
        <p key={at} className="text-sm text-muted">
          {decisions[decision]} earlier by {by}, <Time at={at} />
        </p>
      ))}
      {call.request !== undefined && <Request request={call.request} />}
      <TalkContext value={actions}>
        <WaitingFor waiting={waitingOf(call)} description={call.toolDescription} onDone={onDone} />
      </TalkContext>
    </li>
  );
}

const decisions = {
  approved: "Approved",
  rejected: "Rejected",
  always_approved: "Always allowed",
} as const;

/** The message that led to the call, and who wrote it. */
function Request({ request }: { readonly request: NonNullable<WaitingCall["request"]> }) {
  const { content, isCut, username, userName } = request;
  const by = username === userName || userName === "" ? username : `${username} (${userName})`;
  return (
    <figure className="grid gap-1 border-l-2 border-line pl-3">
      <figcaption className="text-sm text-muted">{by} asked</figcaption>
      <blockquote className="max-h-40 overflow-y-auto whitespace-pre-wrap">
        {content}
        {isCut && " …"}
      </blockquote>
    </figure>
  );
}

interface WaitingForProps extends Pick<WaitingItemProps, "onDone"> {
  readonly waiting: CallAndKind;
  readonly description: string | undefined;
}

/** The decisions about a call. */
function WaitingFor({ waiting: { kind, call }, description, onDone }: WaitingForProps) {
  switch (kind) {
    case "approval":
      return <ApprovalForm approval={call} description={description} onDecide={onDone} />;
    case "question":
      return <QuestionForm question={call} onAnswer={onDone} />;
    case "permission":
      return (
        <div className="grid gap-2 rounded-md border border-warn bg-warn-soft p-3">
          <p>{call.authError.message}.</p>
          <AllowTool toolId={call.metadata.mcpServerId} />
        </div>
      );
    default:
      return kind satisfies never;
  }
}

type Talk = NonNullable<ContextType<typeof TalkContext>>;
