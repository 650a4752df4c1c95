import * as z from "zod";
import { get, post } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { ConversationParams, WorkspaceParams } from "../params.ts";
import { flagFromQuery, optional, Reference, ShortText, text } from "../parsing/text.ts";

/** Body of the parsing of mentions. */
export const ParseMentions = z.object({
  markdown: text(64 * 1024)
    .describe("Text with @mentions of agents and members")
    .meta({ example: "@helper, hello!" }),
});
export type ParseMentions = z.output<typeof ParseMentions>;

export const ParsedMentions = z.object({
  markdown: z
    .string()
    .describe(
      "The text, with each known name replaced by `:mention[name]{sId=…}` or `:mention_user`",
    )
    .meta({ example: ":mention[helper]{sId=helper}, hello!" }),
  mentions: z
    .array(
      z.object({
        configurationId: z.string().describe("Id of the agent").meta({ example: "helper" }),
      }),
    )
    .describe("The named agents, once each, as a message mentions them"),
});
export type ParsedMentions = z.infer<typeof ParsedMentions>;

const Kind = z.enum(["agents", "users"]);
type Kind = z.infer<typeof Kind>;

const suggest = {
  query: ShortText.describe("Part of the names, in any case; may be empty").meta({
    example: "help",
  }),
  select: optional(
    z.preprocess(
      (value: Kind | readonly Kind[]) => (typeof value === "string" ? [value] : value),
      z.array(Kind).max(16),
    ),
  ).describe("What to suggest; repeat the parameter for several; both by default"),
  current: optional(flagFromQuery).describe("Whether to also suggest the caller's own user"),
};

/** Query of suggestions in a conversation, which its path names. */
export const SuggestInConversation = z.object(suggest);
export type SuggestInConversation = z.output<typeof SuggestInConversation>;

/** Query of suggestions. */
export const SuggestMentions = z.object({
  ...suggest,
  conversationId: optional(Reference).describe(
    "Conversation whose agents are suggested before others",
  ),
});
export type SuggestMentions = z.output<typeof SuggestMentions>;

export const MentionSuggestions = z.object({
  suggestions: z
    .array(
      z.object({
        id: z.string().describe("Id of the agent or user").meta({ example: "helper" }),
        type: z.enum(["agent", "user"]).describe("What it is"),
        label: z.string().describe("Name to show").meta({ example: "helper" }),
        pictureUrl: z
          .string()
          .describe("Absolute URL of a picture")
          .meta({ example: "https://parley.test/pictures/agent-1.svg" }),
        description: z.string().describe("Its description").meta({ example: "Answers at once" }),
        userFavorite: z.boolean().optional().describe("Of an agent: whether it is a favourite"),
      }),
    )
    .describe("At most 50 agents and 50 users, agents first"),
});
export type MentionSuggestions = z.infer<typeof MentionSuggestions>;

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
