import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { InvocationEvent } from "parley-client";
import { useParley } from "../api/use-session.ts";
import { InputForm } from "../functions/input-form.tsx";
import { InvocationOutput } from "../functions/invocation-output.tsx";
import { outputOf } from "../functions/output-of.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Icon } from "../ui/icon.tsx";
import { formatDuration } from "../ui/time.tsx";
import { useEvents } from "../ui/use-events.ts";

interface TryToolProps {
  readonly toolId: string;
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Calls one tool of a server with arguments from a form generated from its schema, and shows the answer. */
export function TryTool({ toolId, name, schema }: TryToolProps) {
  const parley = useParley();
  const calling = useMutation({
    mutationFn: async (input: unknown) => {
      const call = { toolId, name, arguments: input as never };
      // The page follows the call, so this does not wait for it.
      return (await parley.tools.invoke(call, { waitSeconds: 0 })).invocation.sId;
    },
  });
  return (
    <section aria-label={`Try ${name}`} className="grid gap-4">
      <InputForm
        label={`Arguments of ${name}`}
        schema={schema}
        action={`Call ${name}`}
        isBusy={calling.isPending}
        onSubmit={(input) => calling.mutate(input)}
      >
        {calling.isError && <ErrorNotice title="The tool was not called" error={calling.error} />}
      </InputForm>
      {calling.data !== undefined && <Call toolId={toolId} invocationId={calling.data} />}
    </section>
  );
}

/** A call with its progress, outcome and duration. */
function Call(call: { readonly toolId: string; readonly invocationId: string }) {
  const { toolId: functionId, invocationId } = call;
  const parley = useParley();
  const { events, isOver, error } = useEvents<InvocationEvent>([invocationId], (options) =>
    parley.invocations.follow({ functionId, invocationId, include: ["progress"] }, options),
  );
  const cancelling = useMutation({
    mutationFn: async () => parley.invocations.cancel({ functionId, invocationId }),
  });
  const { outcome } = outputOf(events);
  const [first, last] = [events[0]?.event.created, events.at(-1)?.event.created];
  const isRefused = outcome?.status === "succeeded" && isError(outcome.result);
  return (
    <div className="grid gap-3">
      <p role="status" className="flex flex-wrap items-center gap-3 text-muted">
        {outcome === undefined ? "Calling …" : isRefused ? "The tool returned an error" : null}
        {outcome?.status === "succeeded" && !isRefused && "The tool responded"}
        {outcome?.status === "errored" && "The call failed"}
        {outcome !== undefined && first !== undefined && last !== undefined && (
          <span>after {formatDuration(Math.max(0, last - first))}</span>
        )}
        <Link
          to="/functions/$functionId/invocations/$invocationId"
          params={{ functionId, invocationId }}
          className="text-accent underline"
        >
          Open call
        </Link>
        {!isOver && (
          <Button isSmall isBusy={cancelling.isPending} onClick={() => cancelling.mutate()}>
            <Icon name="stop" />
            Cancel
          </Button>
        )}
      </p>
      <InvocationOutput events={events} outcome={undefined} />
      {cancelling.isError && (
        <ErrorNotice title="The call was not cancelled" error={cancelling.error} />
      )}
      {error !== undefined && <ErrorNotice error={error} />}
    </div>
  );
}

function isError(result: unknown): boolean {
  return (result as { readonly isError?: boolean } | null)?.isError === true;
}
