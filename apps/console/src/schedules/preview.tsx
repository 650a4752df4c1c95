import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { describeFailure, issuesOf } from "../api/failures.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import type { Times } from "./read-form.ts";
import { ZonedTime } from "./zoned-time.tsx";

/** How long nothing must be typed before the server is asked. */
const PAUSE_MS = 300;

/** The next five times of what is typed, or what is wrong with it. */
export function Preview({ times }: { readonly times: Times }) {
  const wId = useWorkspaceId();
  const typed = JSON.stringify(times);
  const [asked, setAsked] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const isEmpty = times.cron === "" || times.everySeconds === 0;
  const next = useQuery({
    queryKey: [...trpc.schedules.preview.mutationKey(), wId, asked],
    queryFn: async ({ signal }) => {
      const input = { wId, ...(JSON.parse(asked) as Times) };
      return rpc.schedules.preview.mutate(input, { signal });
    },
    enabled: !isEmpty && asked === typed,
    placeholderData: keepPreviousData,
  });
  return (
    <div role="status" aria-label="Next times" className="grid gap-1 text-sm">
      {isEmpty ? null : next.isError ? (
        <p className="text-bad">{faultOf(next.error)}</p>
      ) : (
        next.data !== undefined && (
          <>
            <p className="font-medium">Next times</p>
            <ol>
              {next.data.slots.map((slot) => (
                <li key={slot}>
                  <ZonedTime at={slot} timezone={(JSON.parse(asked) as Times).timezone} />
                </li>
              ))}
            </ol>
          </>
        )
      )}
    </div>
  );
}

/** The labels of the fields that the server may refuse. */
const labels: Readonly<Record<string, string>> = {
  cron: "Cron expression",
  everySeconds: "Every",
  timezone: "Time zone",
};

function faultOf(error: unknown): string {
  const issues = issuesOf(error).map(({ path, message }) => `${labels[path] ?? path}: ${message}`);
  return issues.length > 0 ? issues.join("; ") : describeFailure(error).message;
}
