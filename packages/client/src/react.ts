import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import {
  type ConversationState,
  type ConversationStore,
  createConversationStore,
  type Decision,
  type NewMessage,
  type QuestionAnswer,
} from "./conversation/conversation-store.ts";
import type { Parley } from "./parley.ts";

export type { ConversationState, Decision, NewMessage, QuestionAnswer };

/** Which conversation is shown, and who answers. */
export interface UseConversation {
  /** The client; create it once, outside of the component or with `useMemo`. */
  readonly parley: Parley;
  /** An existing conversation; without it, the first message creates one. */
  readonly conversationId?: string | undefined;
  /** Ids of the agents that answer a message which is sent as a text. */
  readonly agentIds?: readonly string[] | undefined;
  /** Names of further agents that answer it; each must belong to one agent. */
  readonly agentNames?: readonly string[] | undefined;
  /** Called with the id of the conversation that the first message has created. */
  readonly onCreate?: ((conversationId: string) => void) | undefined;
}

/** What a component shows of a conversation, and does with it. */
export interface ShownConversation
  extends
    ConversationState,
    Pick<ConversationStore, "cancel" | "retry" | "decide" | "answer" | "reload"> {
  /** Sends a text to the agents of `agentIds` and `agentNames`, or a message with mentions of its own. */
  readonly send: (message: string | NewMessage) => Promise<boolean>;
}

/**
 * Shows a conversation and follows the answers in it while the component is mounted. Actions never
 * reject: they resolve with whether they succeeded, and `error` says why not. Another `conversationId` or
 * `parley` shows another conversation.
 */
export function useConversation(options: UseConversation): ShownConversation {
  const { parley, conversationId } = options;
  const [shown, setShown] = useState(() => show(parley, conversationId));
  let { store } = shown;
  if (shown.parley !== parley || shown.conversationId !== conversationId) {
    // The id of the conversation that this one has created changes nothing.
    const isSame = shown.parley === parley && store.getState().conversationId === conversationId;
    const next = isSame ? { ...shown, conversationId } : show(parley, conversationId);
    setShown(next);
    ({ store } = next);
  }
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  const state = useSyncExternalStore(store.subscribe, store.getState, store.getState);
  const actions = useMemo(() => {
    const { cancel, retry, decide, answer, reload } = store;
    const send = async (message: string | NewMessage): Promise<boolean> => {
      const { agentIds = [], agentNames = [], onCreate } = latest.current;
      if (typeof message !== "string") return store.send(message, onCreate);
      return store.send(async () => {
        const ids = [...agentIds, ...(await findAgents(parley, agentNames))];
        const mentions = ids.map((configurationId) => ({ configurationId }));
        return { content: message, mentions };
      }, onCreate);
    };
    return { send, cancel, retry, decide, answer, reload };
  }, [parley, store]);
  return { ...state, ...actions };
}

/** The ids of the agents with these names. Throws if a name belongs to none, or to several. */
async function findAgents(parley: Parley, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const { agentConfigurations } = await parley.agents.list();
  return names.map((name) => {
    const [found, other] = agentConfigurations.filter((agent) => agent.name === name);
    if (found === undefined) throw new Error(`No agent has the name ${name}`);
    if (other !== undefined) throw new Error(`Several agents have the name ${name}: use agentIds`);
    return found.sId;
  });
}

interface Shown {
  readonly parley: Parley;
  readonly conversationId: string | undefined;
  readonly store: ConversationStore;
}

function show(parley: Parley, conversationId: string | undefined): Shown {
  return { parley, conversationId, store: createConversationStore(parley, conversationId) };
}
