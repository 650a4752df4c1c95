import { describeFailure } from "../api/failures.ts";
import { Button } from "./button.tsx";

interface ErrorNoticeProps {
  readonly error: unknown;
  /** What could not be done, as in "The skills could not be loaded". */
  readonly title?: string;
  readonly onRetry?: (() => void) | undefined;
}

/** Says what went wrong, with the id that finds the request in the server's log. */
export function ErrorNotice({ error, title, onRetry }: ErrorNoticeProps) {
  const { message, issues, requestId } = describeFailure(error);
  return (
    <div
      role="alert"
      className="grid justify-items-start gap-2 rounded-md border border-bad bg-bad-soft px-4 py-3"
    >
      {title !== undefined && <p className="font-medium">{title}</p>}
      <p>{message}</p>
      {issues.length > 0 && (
        <ul className="list-disc pl-5">
          {issues.map((issue) => (
            <li key={issue}>{issue}</li>
          ))}
        </ul>
      )}
      {requestId !== undefined && (
        <p className="text-sm">
          Request <code className="font-mono">{requestId}</code>
        </p>
      )}
      {onRetry !== undefined && (
        <Button isSmall onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
