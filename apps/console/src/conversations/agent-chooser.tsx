import { useQuery } from "@tanstack/react-query";
import type { AgentConfiguration } from "parley-client";
import { useState } from "react";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu, MenuCheck } from "../ui/menu.tsx";

/** The agents that will answer. */
export interface AgentChoice {
  readonly agents: readonly AgentConfiguration[];
  readonly agentIds: readonly string[];
  /** Whether it is known who answers: before the list is there, only who was suggested is. */
  readonly isKnown: boolean;
  readonly error: unknown;
  readonly choose: (agentId: string, isChosen: boolean) => void;
}

/** The agents that the reader can mention. */
export const mentionableQuery = (wId: string) =>
  trpc.agents.list.queryOptions({ wId, view: "list" }, { staleTime: 60_000 });

/**
 * Holds the chosen agents: the suggested ones until the user chooses others; without any, the favourite or first one, in whose
 * place the first that is chosen answers.
 */
export function useAgentChoice(suggested: readonly string[] | undefined): AgentChoice {
  const [chosen, setChosen] = useState<readonly string[]>();
  const { data, error } = useQuery(mentionableQuery(useWorkspaceId()));
  const agents = data?.agentConfigurations ?? [];
  const first = agents.find(({ userFavorite }) => userFavorite) ?? agents[0];
  const wanted = chosen ?? suggested ?? (first === undefined ? [] : [first.sId]);
  // Until the list is there, none of them is known to be missing from it.
  const isListed = (id: string) => data === undefined || agents.some(({ sId }) => sId === id);
  const agentIds = wanted.filter(isListed);
  return {
    agents,
    agentIds,
    isKnown: data !== undefined || error !== null || suggested !== undefined,
    error,
    choose: (agentId, isChosen) => {
      const isOnlyDefault = chosen === undefined && suggested === undefined;
      const others = isOnlyDefault ? [] : agentIds.filter((id) => id !== agentId);
      setChosen(isChosen ? [...others, agentId] : others);
    },
  };
}

/** A menu of agents; several can be chosen. */
export function AgentChooser({ choice }: { readonly choice: AgentChoice }) {
  const { agents, agentIds, error, choose } = choice;
  const names = agents.filter(({ sId }) => agentIds.includes(sId)).map(({ name }) => name);
  const shown = names.length === 0 ? "No agents" : names.join(", ");
  return (
    <Menu
      trigger={
        <Button isSmall className="max-w-60" aria-label={`Agents: ${shown}`}>
          <Icon name="agent" />
          <span className="truncate">{error === null ? shown : "Agents could not be loaded"}</span>
        </Button>
      }
    >
      {agents.map(({ sId, name, description }) => (
        <MenuCheck
          key={sId}
          isChecked={agentIds.includes(sId)}
          onChange={(isChosen) => choose(sId, isChosen)}
        >
          <span>
            <span className="block">{name}</span>
            <span className="block max-w-64 truncate text-sm opacity-80">{description}</span>
          </span>
        </MenuCheck>
      ))}
    </Menu>
  );
}
