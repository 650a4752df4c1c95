import { useQuery } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { type AgentMessage, explainEnd } from "parley-client";
import type { ShownConversation } from "parley-client/react";
import { hasRole, hasScope } from "../api/access.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { runQuery } from "../functions/read-run.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Icon } from "../ui/icon.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Time } from "../ui/time.tsx";
import { partsOf } from "./answer-parts.ts";
import { useTalk } from "./talk-context.ts";
import { RateButtons, RatingComment } from "./answer-feedback.tsx";
import { ApprovalForm } from "./approval-form.tsx";
import { CopyButton } from "./copy-button.tsx";
import { ProviderSaid } from "./provider-said.tsx";
import { QuestionForm } from "./question-form.tsx";
import { References } from "./references.tsx";
import { ToolCall } from "./tool-call.tsx";
import { useFrame } from "./use-frame.ts";
import { Versions } from "./versions.tsx";

/** Calls of an answer that wait for a person. */
export interface Waiting {
  readonly approvals: ShownConversation["approvals"];
  readonly questions: ShownConversation["questions"];
}

interface AgentAnswerProps extends Waiting {
  readonly message: AgentMessage;
}

const noteStyle = "rounded-md bg-surface px-3 py-2 text-sm";

/** An agent's answer: its reasoning, calls and text, with its actions. */
export function AgentAnswer({ message, approvals, questions }: AgentAnswerProps) {
  const { configuration, status, created, error, notes = [] } = message;
  const isWriting = status === "created";
  const lacks = explainEnd(message);
  return (
    <article
      aria-busy={isWriting}
      aria-label={`Answer from ${configuration.name}`}
      className="grid min-w-0 gap-3 rounded-lg border border-line px-4 py-3"
    >
      <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
        <span className="font-medium text-ink">{configuration.name}</span>
        <Time at={created} />
        {status !== "succeeded" && <StatusBadge status={status} />}
      </p>
      <Written message={message} />
      {approvals.map((approval) => (
        <ApprovalForm key={approval.actionId} approval={approval} />
      ))}
      {questions.map((question) => (
        <QuestionForm key={question.actionId} question={question} />
      ))}
      {error !== null && (
        <p role="alert" className="rounded-md border border-bad bg-bad-soft px-3 py-2">
          {error.message} <code className="font-mono text-sm">({error.code})</code>
        </p>
      )}
      {error !== null && <ProviderMessage messageId={message.sId} />}
      {lacks !== undefined && (
        <p role="note" className={noteStyle}>
          {lacks}
        </p>
      )}
      {notes.length > 0 && (
        <ul role="note" aria-label="Not given to the model" className={noteStyle}>
          {notes.map((note, index) => (
            <li key={index}>{note.message}</li>
          ))}
        </ul>
      )}
      <References citations={message.citations} />
      {!isWriting && <AnswerActions message={message} />}
    </article>
  );
}

/** The provider's message about a failed answer, for builders and higher. */
function ProviderMessage({ messageId }: { readonly messageId: string }) {
  const isTold = hasRole(useSession(), "builder");
  const { data, error } = useQuery({ ...runQuery(useWorkspaceId(), messageId), enabled: isTold });
  if (error)
    return <ErrorNotice title="The provider's message could not be loaded" error={error} />;
  return data?.providerError ? <ProviderSaid {...data.providerError} /> : null;
}

/** The text and calls of an answer, rendered at most once per frame while it streams. */
function Written({ message }: { readonly message: AgentMessage }) {
  const shown = useFrame(message, useState(() => beginningOf(message))[0]);
  const { chainOfThought } = shown;
  return (
    <>
      {chainOfThought !== null && chainOfThought !== "" && (
        <details className="rounded-md bg-surface px-3 py-2 text-sm">
          <summary className="text-muted">Reasoning</summary>
          <p className="mt-2 whitespace-pre-wrap text-muted">{chainOfThought}</p>
        </details>
      )}
      {partsOf(shown).map(({ step, text, actions }) => (
        <Fragment key={step}>
          {text !== "" && <Markdown text={text} />}
          {actions.map((action) => (
            <ToolCall key={action.sId} action={action} />
          ))}
        </Fragment>
      ))}
    </>
  );
}

/** Longest text, in characters, that is rendered at once when an answer is first shown. */
const SHORT = 4000;

/** The part of an answer that is shown first; a long text follows in slices. */
function beginningOf(message: AgentMessage): AgentMessage {
  return message.content.length <= SHORT ? message : { ...message, content: "", rawContents: [] };
}

function AnswerActions({ message }: AgentAnswerOnly) {
  const talk = useTalk();
  const canWrite = hasScope(useSession(), "conversations:write");
  const [isShown, setShown] = useState(false);
  const [isBusy, setBusy] = useState(false);
  if (talk === undefined) return null;
  const retry = async () => {
    setBusy(true);
    await talk.retry(message.sId);
    setBusy(false);
  };
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {canWrite && (
          <Button isSmall variant="ghost" isBusy={isBusy} onClick={() => void retry()}>
            <Icon name="retry" />
            Regenerate
          </Button>
        )}
        {message.content !== "" && <CopyButton text={message.content} />}
        <RateButtons messageId={message.sId} />
        {message.version > 0 && (
          <Button
            isSmall
            variant="ghost"
            aria-expanded={isShown}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? "Hide versions" : `Compare ${message.version + 1} versions`}
          </Button>
        )}
      </div>
      <RatingComment messageId={message.sId} />
      {isShown && <Versions conversationId={talk.conversationId} messageId={message.sId} />}
    </>
  );
}

interface AgentAnswerOnly {
  readonly message: AgentMessage;
}
