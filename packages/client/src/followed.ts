import type { Input } from "./methods.ts";

/** Which invocation to follow. */
export interface FollowInvocation {
  readonly functionId: string;
  readonly invocationId: string;
  /** Further events, besides the first and the last; none by default. */
  readonly include?: readonly ("log" | "progress")[] | undefined;
}

/** Which answer or conversation to follow. */
export type FollowConversation<N extends "messages.events" | "conversations.events"> = Omit<
  Input<N>,
  "include"
> & {
  /** Further events; none by default. */
  readonly include?:
    | readonly (
        | "notes"
        | "compaction"
        | "fallbacks"
        | "budgets"
        | "function_calls"
        | "citations"
        | "children"
        | "children_events"
      )[]
    | undefined;
};
