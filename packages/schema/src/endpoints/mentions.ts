import type { Endpoint } from "../endpoint.ts";
import { ConversationParams, WorkspaceParams } from "../params.ts";
import {
  MentionSuggestions,
  ParsedMentions,
  ParseMentions,
  SuggestInConversation,
  SuggestMentions,
} from "../workspaces/mentions.ts";
import { get, post } from "./defaults.ts";

const root = "/api/v1/w/{wId}/assistant";
const shared = {
  scope: "agents:read",
  tags: ["agents"],
  errors: ["conversation_not_found"],
} as const;

/** Operations on who may be mentioned. */
export const mentionEndpoints = {
  "mentions.parse": {
    ...post,
    ...shared,
    storesLittle: true,
    summary: "Find the agents and members that a text names",
    path: `${root}/mentions/parse`,
    params: WorkspaceParams,
    body: ParseMentions,
    output: ParsedMentions,
    rateLimit: "read",
    errors: [],
  },
  "mentions.suggest": {
    ...get,
    ...shared,
    summary: "Suggest agents and members to mention",
    path: `${root}/mentions/suggestions`,
    params: WorkspaceParams,
    query: SuggestMentions,
    output: MentionSuggestions,
  },
  "mentions.suggestInConversation": {
    ...get,
    ...shared,
    summary: "Suggest agents and members to mention in a conversation",
    path: `${root}/conversations/{cId}/mentions/suggestions`,
    params: ConversationParams,
    query: SuggestInConversation,
    output: MentionSuggestions,
  },
} as const satisfies Record<string, Endpoint>;
