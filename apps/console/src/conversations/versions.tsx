import { useQuery } from "@tanstack/react-query";
import type { AgentMessage } from "parley-client";
import { useState } from "react";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { SelectField } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { TextDifferences } from "../ui/text-differences.tsx";
import { Time } from "../ui/time.tsx";

interface VersionsProps {
  readonly conversationId: string;
  /** Id of one of the versions. */
  readonly messageId: string;
}

/** All versions of an answer, side by side, the newest first, and the differences of its text to another. */
export function Versions({ conversationId, messageId }: VersionsProps) {
  const wId = useWorkspaceId();
  const reading = useQuery(trpc.conversations.get.queryOptions({ wId, cId: conversationId }));
  return (
    <Loaded query={reading} label="the versions" lines={3}>
      {({ conversation }) => {
        const versions = conversation.content
          .find((some) => some.some(({ sId }) => sId === messageId))
          ?.filter((one): one is AgentMessage => one.type === "agent_message")
          .toReversed();
        return versions && <Compared versions={versions} />;
      }}
    </Loaded>
  );
}

function Compared({ versions }: { readonly versions: readonly AgentMessage[] }) {
  const [chosen, setChosen] = useState("");
  const [newest] = versions;
  const other = versions.find(({ version }) => String(version) === chosen);
  return (
    <div className="grid min-w-0 gap-3">
      <ol aria-label="Versions" className="grid gap-3 md:grid-cols-2">
        {versions.map((one) => (
          <li
            key={`${one.sId} ${one.version}`}
            className="min-w-0 rounded-md border border-line p-3"
          >
            <p className="mb-2 flex flex-wrap gap-2 text-sm text-muted">
              Version {one.version + 1}
              <Time at={one.created} />
              <StatusBadge status={one.status} />
            </p>
            <Markdown text={one.content} />
            {one.error !== null && <p className="text-bad">{one.error.message}</p>}
          </li>
        ))}
      </ol>
      {newest !== undefined && versions.length > 1 && (
        <SelectField
          label={`Differences of version ${newest.version + 1} from`}
          className="max-w-60"
          value={chosen}
          onChange={({ target: { value } }) => setChosen(value)}
        >
          <option value="">None</option>
          {versions.slice(1).map(({ version }) => (
            <option key={version} value={version}>
              Version {version + 1}
            </option>
          ))}
        </SelectField>
      )}
      {newest !== undefined && other !== undefined && (
        <TextDifferences
          label={`Changes in version ${newest.version + 1} since version ${other.version + 1}`}
          before={`${other.content}\n`}
          after={`${newest.content}\n`}
        />
      )}
    </div>
  );
}
