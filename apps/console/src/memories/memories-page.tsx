import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { hasRole } from "../api/access.ts";
import { rpc, trpc } from "../api/clients.ts";
import { useSession, useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { List } from "../ui/list.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { Page } from "../ui/page.tsx";
import { Section } from "../ui/section.tsx";
import { Time } from "../ui/time.tsx";
import { MemoryDialog } from "./memory-dialog.tsx";
import { PendingChanges } from "./pending-changes.tsx";
import { describeSources } from "./sources.ts";

/** A file whose dialog is open. */
interface Doing {
  readonly what: "edit" | "erase";
  readonly sId: string;
  readonly path: string;
  readonly version: number;
}

/** What agents remember: a user's own files, and for builders those of agents and spaces. */
export function MemoriesPage() {
  const wId = useWorkspaceId();
  const isBuilder = hasRole(useSession(), "builder");
  const { after } = useSearch({ from: "/session/memories" });
  const [doing, setDoing] = useState<Doing>();
  const [isErasingAll, setErasingAll] = useState(false);
  const close = () => setDoing(undefined);
  const list = useQuery(trpc.memories.list.queryOptions({ wId, limit: 20, lastValue: after }));
  return (
    <Page
      title="Memories"
      actions={<Button onClick={() => setErasingAll(true)}>Erase all of mine …</Button>}
    >
      {isBuilder && <PendingChanges />}
      <Section title="Files">
        <List
          name="Files"
          query={list}
          rowsOf={({ memories }) => memories}
          keyOf={({ sId }) => sId}
          after={after}
          least={["Sources", "Size"]}
          columns={{
            File: ({ path }) => <span className="font-medium">{path}</span>,
            Agent: ({ agentId }) => agentId ?? "All",
            Size: ({ bytes }) => `${bytes} bytes`,
            Sources: describeSources,
            Changed: ({ updatedAt }) => <Time at={updatedAt} />,
            Actions: ({ sId, path, version }) => (
              <Menu trigger={<Button aria-label={`Actions of ${path}`}>Actions</Button>}>
                <MenuItem onSelect={() => setDoing({ what: "edit", sId, path, version })}>
                  Edit …
                </MenuItem>
                <MenuItem onSelect={() => setDoing({ what: "erase", sId, path, version })}>
                  Erase …
                </MenuItem>
              </Menu>
            ),
          }}
          empty={
            <EmptyState title="No memories yet">
              <p className="text-muted">
                Agents write files here once their memory is on, in the form of the agent.
              </p>
            </EmptyState>
          }
        />
      </Section>
      {doing?.what === "edit" && (
        <MemoryDialog memoryId={doing.sId} path={doing.path} onClose={close} />
      )}
      {doing?.what === "erase" && (
        <ConfirmDialog
          title="Erase file"
          description={`${doing.path} is erased with its versions.`}
          word={doing.path}
          changes={trpc.memories.pathKey()}
          onConfirm={async () => {
            const { sId: memoryId, version } = doing;
            await rpc.memories.remove.mutate({ wId, memoryId, version });
          }}
          onClose={close}
        />
      )}
      {isErasingAll && (
        <ConfirmDialog
          title="Erase all of mine"
          description="All that agents remember of you is erased, with its versions."
          word="all"
          changes={trpc.memories.pathKey()}
          onConfirm={async () => rpc.memories.erase.mutate({ wId })}
          onClose={() => setErasingAll(false)}
        />
      )}
    </Page>
  );
}
