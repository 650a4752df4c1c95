import { useQuery } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { trpc } from "../api/clients.ts";
import { Loaded } from "../ui/loaded.tsx";
import { formatNumber } from "../ui/time.tsx";

const counts: Readonly<Record<keyof Output<"workspaces.usage">, string>> = {
  conversations: "Conversations",
  messages: "Messages",
  invocations: "Invocations",
  files: "Files",
  fileBytes: "File bytes",
  storedBytes: "Stored bytes",
  storedBytesLimit: "Storage limit (bytes)",
  members: "Members",
  keys: "Keys",
  agents: "Agents",
  skills: "Skills",
  functions: "Functions",
  runsWaiting: "Queued runs",
  runsRunning: "Running runs",
};

/** The usage of a workspace, for its admins and for operators. */
export function UsageCounts({ wId }: { readonly wId: string }) {
  const reading = useQuery(trpc.workspaces.usage.queryOptions({ wId }));
  return (
    <Loaded query={reading} label="the usage">
      {(usage) => (
        <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3">
          {Object.entries(counts).map(([count, words]) => (
            <div key={count} className="rounded-md bg-surface px-3 py-2">
              <dt className="text-sm text-muted">{words}</dt>
              <dd className="font-medium">{formatNumber(usage[count as keyof typeof usage])}</dd>
            </div>
          ))}
        </dl>
      )}
    </Loaded>
  );
}
