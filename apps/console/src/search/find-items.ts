import { hasRole, hasScope } from "../api/access.ts";
import { readAgentsAndFunctions } from "../api/agents-and-functions.ts";
import { rpc } from "../api/clients.ts";
import type { Session } from "../api/session.ts";

/** A page of the menu. */
export interface PalettePage {
  readonly to: string;
  readonly name: string;
}

/** Something that the palette leads to. */
export interface Item {
  readonly href: string;
  readonly name: string;
  /** What it is. */
  readonly note: string;
}

/** Items of one kind that are found at most. */
const MAX_ITEMS = 5;

const contains = (name: string, typed: string): boolean =>
  name.toLowerCase().includes(typed.toLowerCase());

/** Ids that say by their beginning what page they have. */
const pagesOfIds: readonly (readonly [prefix: string, note: string, path: string])[] = [
  ["sfn_", "Function", "/functions"],
  ["skl_", "Skill", "/skills"],
  ["msv_", "Tool", "/tools"],
  ["whk_", "Webhook", "/webhooks"],
  ["trg_", "Trigger", "/triggers"],
  ["sch_", "Schedule", "/schedules"],
];

/** The pages and actions whose names contain what is typed, and the page of an id that has one. */
export function findPlaces(
  session: Session,
  pages: readonly PalettePage[],
  typed: string,
): readonly Item[] {
  const items: Item[] = pages.map(({ to: href, name }) => ({ href, name, note: "Page" }));
  if (hasRole(session, "user") && hasScope(session, "conversations:write")) {
    items.push({ href: "/conversations/new", name: "New conversation", note: "Action" });
  }
  if (hasRole(session, "builder")) {
    items.push(
      { href: "/agents/new", name: "New agent", note: "Action" },
      { href: "/functions/new", name: "New function", note: "Action" },
      { href: "/skills/import", name: "Import skills", note: "Action" },
      { href: "/conversations/all", name: "All conversations", note: "Page" },
    );
  }
  const found = items.filter(({ name }) => contains(name, typed));
  const ofId = pagesOfIds.find(([prefix]) => typed.startsWith(prefix));
  if (ofId === undefined) return found;
  const [, note, path] = ofId;
  return [{ href: `${path}/${encodeURIComponent(typed)}`, name: typed, note }, ...found];
}

/** The search for messages that have the typed words. */
export function searchItem(typed: string): Item {
  const query = new URLSearchParams({ q: typed }).toString();
  return { href: `/search?${query}`, name: `Messages with “${typed}”`, note: "Search" };
}

/** What has a name: agents and functions that the reader may see. */
export async function readNamed(session: Session, signal: AbortSignal): Promise<readonly Item[]> {
  const wId = session.workspace?.sId;
  const sees = hasScope(session, "agents:read") && hasScope(session, "functions:invoke");
  if (wId === undefined || !sees) return [];
  const { agents, functions } = await readAgentsAndFunctions(wId, signal);
  return [
    ...agents.map(({ id, name }) => ({ href: `/agents/${id}`, name, note: "Agent" })),
    ...functions.map(({ name }) => ({ href: `/functions/${name}`, name, note: "Function" })),
  ];
}

/** Those whose names contain what is typed. */
export const matching = (items: readonly Item[], typed: string): readonly Item[] =>
  items.filter(({ name }) => contains(name, typed)).slice(0, MAX_ITEMS);

/** What the server finds: what an id is of, and conversations by title. */
export async function findOnServer(
  session: Session,
  typed: string,
  signal: AbortSignal,
): Promise<readonly Item[]> {
  const wId = session.workspace?.sId;
  // Tokens of users find neither.
  if (wId === undefined || session.scopes !== null) return [];
  const [{ found }, { conversations }] = await Promise.all([
    rpc.search.ids.query({ wId, id: typed }, { signal }),
    hasRole(session, "builder")
      ? rpc.conversations.listAll.query({ wId, title: typed, limit: MAX_ITEMS }, { signal })
      : { conversations: [] },
  ]);
  return [
    ...found.map(({ kind, sId, name, conversationId }) => ({
      href:
        kind === "invocation" && conversationId === null
          ? `/functions/${encodeURIComponent(name)}/invocations/${sId}`
          : `/conversations/${conversationId}`,
      name: name === "" ? sId : name,
      note: { conversation: "Conversation", message: "Message", invocation: "Invocation" }[kind],
    })),
    ...conversations.map(({ sId, title }) => ({
      href: `/conversations/${sId}`,
      name: title,
      note: "Conversation",
    })),
  ];
}
