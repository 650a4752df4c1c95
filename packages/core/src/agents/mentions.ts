import { agentFavorites, agents, messages, type Queryable, users } from "@parley/db";
import type {
  MentionSuggestions,
  ParsedMentions,
  ParseMentions,
  SuggestInConversation,
  SuggestMentions,
} from "@parley/schema";
import { and, asc, desc, eq, inArray, ne, or, type SQL, sql } from "drizzle-orm";
import { requireConversation } from "../access/conversation-reach.ts";
import { type Context, searcherOf } from "../context.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { isMember } from "../workspaces/members.ts";
import { pictureUrl } from "../workspaces/pictures.ts";
import { renderUser } from "../workspaces/users.ts";
import { isFavoriteOf } from "./read-agents.ts";
import { type Named, replaceNames } from "./replace-names.ts";

/** Agents, and users, that one response suggests, or that one text may name. */
const MAX_SUGGESTED = 50;
const MAX_NAMED = 100;

/** Finds the agents that a text names after an @, and members if the caller may list them. */
export async function parseMentions(
  context: KeyedContext,
  input: ParseMentions,
): Promise<ParsedMentions> {
  const parsed = await findMentions(context, input);
  // Nothing is created, but a key is kept for its body as for other requests.
  return inTransactionOnce(context, { id: "mentions" }, async () => parsed);
}

/** What a text names, with the names as they now are. */
export async function findMentions(
  context: Context,
  { markdown }: ParseMentions,
): Promise<ParsedMentions> {
  const { db } = context.database;
  const isNamed = (name: SQL | typeof agents.name | typeof users.fullName) =>
    sql`(${name} <> '' and position('@' || lower(${name}) in lower(${markdown})) > 0)`;
  const namedAgents = await db
    .select({ sid: agents.sid, name: agents.name })
    .from(agents)
    .where(and(isMentionable(context), isNamed(agents.name)))
    .orderBy(asc(agents.name), asc(agents.sid))
    .limit(MAX_NAMED);
  const namedUsers = await db
    .select({ sid: users.sid, name: users.fullName })
    .from(users)
    .where(and(isSeenUser(context, true), isNamed(users.fullName)))
    .orderBy(asc(users.fullName), asc(users.id))
    .limit(MAX_NAMED);
  const known: Named[] = [
    ...namedAgents.map((row) => ({ ...row, kind: "agent" as const })),
    ...namedUsers.map((row) => ({ ...row, kind: "user" as const })),
  ];
  const { text, found } = replaceNames(markdown, known);
  const mentioned = found.filter(({ kind }) => kind === "agent").map(({ sid }) => sid);
  const mentions = [...new Set(mentioned)].map((configurationId) => ({ configurationId }));
  return { markdown: text, mentions };
}

/**
 * Suggests agents and members by a part of their names: first agents of the conversation, then favourites,
 * then names that begin with the part. Throws `conversation_not_found`.
 */
export async function suggestMentions(
  context: Context,
  { query, select = ["agents", "users"], current = false, conversationId }: SuggestMentions,
): Promise<MentionSuggestions> {
  const { db } = context.database;
  const asked = conversationId === undefined ? [] : await findAgentsOf(db, context, conversationId);
  const found = await context.runSearch(searcherOf(context), async (searches) => [
    ...(select.includes("agents") ? await suggestAgents(searches, context, { query, asked }) : []),
    ...(select.includes("users") ? await suggestUsers(searches, context, { query, current }) : []),
  ]);
  return { suggestions: found };
}

/** The same in the conversation of the path. */
export function suggestInConversation(
  context: Context,
  { cId, ...input }: SuggestInConversation & { cId: string },
): Promise<MentionSuggestions> {
  return suggestMentions(context, { ...input, conversationId: cId });
}

/** The ids of the agents that have been asked in a conversation. */
async function findAgentsOf(db: Queryable, context: Context, cId: string): Promise<string[]> {
  const { id } = await requireConversation(db, context, cId);
  const rows = await db
    .selectDistinct({ sid: agents.sid })
    .from(messages)
    .innerJoin(agents, eq(agents.id, messages.agentId))
    .where(eq(messages.conversationId, id));
  return rows.map(({ sid }) => sid);
}

type Suggestion = MentionSuggestions["suggestions"][number];

async function suggestAgents(
  db: Queryable,
  context: Context,
  { query, asked }: { query: string; asked: readonly string[] },
): Promise<Suggestion[]> {
  const at = sql`position(lower(${query}) in lower(${agents.name}))`;
  const rows = await db
    .select({
      sid: agents.sid,
      name: agents.name,
      description: agents.description,
      pictureUrl: agents.pictureUrl,
      favoriteOf: agentFavorites.userId,
    })
    .from(agents)
    .leftJoin(agentFavorites, isFavoriteOf(context))
    .where(and(isMentionable(context), ne(agents.scope, "hidden"), sql`${at} > 0`))
    .orderBy(
      ...(asked.length > 0 ? [desc(inArray(agents.sid, [...asked]))] : []),
      sql`${agentFavorites.userId} is null`,
      sql`${at} <> 1`,
      asc(agents.name),
      asc(agents.sid),
    )
    .limit(MAX_SUGGESTED);
  return rows.map(({ sid, name, description, pictureUrl: picture, favoriteOf }) => ({
    id: sid,
    type: "agent",
    label: name,
    pictureUrl: pictureUrl(context, picture, "agent"),
    description,
    userFavorite: favoriteOf !== null,
  }));
}

async function suggestUsers(
  db: Queryable,
  context: Context,
  { query, current }: { query: string; current: boolean },
): Promise<Suggestion[]> {
  const at = sql`position(lower(${query}) in lower(${users.fullName}))`;
  const inUsername = sql`position(lower(${query}) in lower(${users.username})) > 0`;
  const rows = await db
    .select()
    .from(users)
    .where(and(isSeenUser(context, current), or(sql`${at} > 0`, inUsername)))
    .orderBy(sql`${at} <> 1`, asc(users.fullName), asc(users.id))
    .limit(MAX_SUGGESTED);
  return rows.map((row) => {
    const { sId: id, fullName: label, email: description, image } = renderUser(context, row);
    return { id, type: "user", label, pictureUrl: image, description };
  });
}

function isMentionable({ caller }: Context): SQL | undefined {
  return and(
    eq(agents.workspaceId, caller.workspace.id),
    eq(agents.isCurrent, true),
    eq(agents.status, "active"),
  );
}

/** The condition that the caller may be told of a user: keys of all members, tokens of their own user. */
function isSeenUser({ caller }: Context, current: boolean): SQL | undefined {
  const { user, userToken, workspace } = caller;
  return and(
    eq(users.workspaceId, workspace.id),
    isMember,
    userToken && eq(users.id, user.id),
    current ? undefined : ne(users.id, user.id),
  );
}
