import { useMutation } from "@tanstack/react-query";
import type { Action } from "parley-client";
import { memo } from "react";
import { useParley } from "../api/use-session.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { CodeBlock, JsonBlock } from "../ui/code-block.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { formatDuration } from "../ui/time.tsx";
import { textsOfOutput } from "./tool-output.ts";
import { useTalk } from "./talk-context.ts";

/** A tool call with its arguments and result. */
export const ToolCall = memo(function ToolCall({ action }: { readonly action: Action }) {
  const { functionCallName, toolName, status, params, output, executionDurationMs } = action;
  return (
    <details className="min-w-0 rounded-md border border-line">
      <summary className="flex flex-wrap items-center gap-2 px-3 py-2">
        <code className="font-mono text-sm font-medium">{toolName || functionCallName}</code>
        <StatusBadge status={status} />
        {executionDurationMs !== null && (
          <span className="text-sm text-muted">{formatDuration(executionDurationMs)}</span>
        )}
      </summary>
      <div className="grid min-w-0 gap-2 border-t border-line p-3">
        <p className="text-sm text-muted">Arguments</p>
        <JsonBlock value={params} label="Arguments" />
        {output !== null && (
          <>
            <p className="text-sm text-muted">Result</p>
            {textsOfOutput(output).map((text, index) => (
              // The parts of a result never change.
              <CodeBlock key={index} label="Result">
                <code className="whitespace-pre-wrap">{text}</code>
              </CodeBlock>
            ))}
          </>
        )}
        {status === "blocked_authentication_required" && action.mcpServerId !== null && (
          <AllowTool toolId={action.mcpServerId} />
        )}
      </div>
    </details>
  );
});

/** Opens the page where the user authorizes the tool's server. */
export function AllowTool({ toolId }: { readonly toolId: string }) {
  const parley = useParley();
  const talk = useTalk();
  const starting = useMutation({
    mutationFn: async () => parley.toolAuthorizations.start({ toolId }),
    onSuccess: ({ authorization }) => {
      window.open(authorization.authorizationUrl, "_blank", "noopener,noreferrer");
    },
  });
  if (talk === undefined) return null;
  return (
    <div className="grid justify-items-start gap-2">
      <p>This call needs your permission to use its server on your behalf.</p>
      <Button isBusy={starting.isPending} onClick={() => starting.mutate()}>
        Allow …
      </Button>
      {starting.isError && <ErrorNotice error={starting.error} />}
    </div>
  );
}
