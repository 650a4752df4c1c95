import { useQuery } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { useState } from "react";
import { hasRole } from "../api/access.ts";
import { trpc } from "../api/clients.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { formatNumber, Time } from "../ui/time.tsx";

type Request = Output<"messages.getRequest">["request"];

interface SentRequestsProps {
  readonly conversationId: string;
  readonly answer: {
    readonly messageId: string;
    readonly providerId: string;
    readonly steps: number;
    readonly fallbacks?: readonly object[] | undefined;
  };
}

/** Shows what the model was sent for each step of an answer. A request is read when it is asked for: that is recorded. */
export function SentRequests({ conversationId, answer }: SentRequestsProps) {
  const [step, setStep] = useState<number>();
  const { messageId, steps } = answer;
  if (!useMayRead(answer)) return null;
  // A step that was interrupted is not counted.
  const shown = Array.from({ length: Math.max(1, steps) }, (_, index) => index);
  return (
    <div className="grid min-w-0 gap-2">
      <div className="flex flex-wrap items-center gap-2 text-sm text-muted">
        Sent to the model:
        {shown.map((index) => (
          <Button
            key={index}
            isSmall
            of={`of answer ${messageId}`}
            aria-expanded={step === index}
            onClick={() => setStep(step === index ? undefined : index)}
          >
            Step {index + 1}
          </Button>
        ))}
      </div>
      {step !== undefined && <StepRequest cId={conversationId} mId={messageId} n={step} />}
    </div>
  );
}

interface SentRequestProps extends SentRequestsProps {
  readonly step: number;
}

/** Shows what the model was sent for one step, once it is asked for. */
export function SentRequest({ conversationId, answer, step }: SentRequestProps) {
  const [isOpen, setIsOpen] = useState(false);
  if (!useMayRead(answer)) return null;
  return (
    <div className="grid min-w-0 gap-2">
      <Button
        isSmall
        className="justify-self-start"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? "Hide request" : "Show request"}
      </Button>
      {isOpen && <StepRequest cId={conversationId} mId={answer.messageId} n={step} />}
    </div>
  );
}

/** Whether requests of the answer may be read: simulated models are sent none. */
function useMayRead({ providerId, fallbacks }: SentRequestsProps["answer"]): boolean {
  const isSimulated = ["simulated", "noop"].includes(providerId) && fallbacks === undefined;
  return hasRole(useSession(), "builder") && !isSimulated;
}

function StepRequest(step: { readonly cId: string; readonly mId: string; readonly n: number }) {
  const input = { wId: useWorkspaceId(), ...step };
  const reading = useQuery(trpc.messages.getRequest.queryOptions(input, { retry: false }));
  return (
    <Loaded query={reading} label="the request">
      {({ request }) => <RequestView request={request} />}
    </Loaded>
  );
}

function RequestView({ request }: { readonly request: Request }) {
  const { model, sentAt, sizeBytes, body, matches, missing, tokensByPart } = request;
  return (
    <div className="grid min-w-0 gap-2">
      <p className="text-sm text-muted">
        {model.providerId}/{model.modelId} · <Time at={sentAt} /> · {formatNumber(sizeBytes)} bytes
        {tokensByPart.map(({ part, tokens }) => ` · ${part} ${formatNumber(tokens)} tokens`)}
      </p>
      {body === null && <p className="text-sm">It was too large to be recorded.</p>}
      {matches === false && (
        <p role="note" className="text-sm text-bad">
          These are not the bytes that were sent
          {missing.length > 0 &&
            `: no longer there: ${missing.map(({ kind, id }) => `${kind} ${id}`).join(", ")}`}
        </p>
      )}
      {body !== null && (
        <CodeBlock label={`Request of step ${request.step + 1}`}>
          <code>{indented(body)}</code>
        </CodeBlock>
      )}
    </div>
  );
}

/** The JSON for people to read; as it is if a part of it is gone. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
