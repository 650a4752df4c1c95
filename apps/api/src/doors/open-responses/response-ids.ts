// The ids of responses and of their items say where they are: whoever may not read that place gets nothing by them.

const ID = "[0-9A-Za-z]{10}";

/** A response: an answer from its start, or from where it went on after outputs or decisions of its caller. */
export interface ResponsePlace {
  readonly conversationId: string;
  readonly messageId: string;
  /** How often the answer had waited for its caller before the response began. */
  readonly segment: number;
}

/** The id of a response. */
export function responseIdOf({ conversationId, messageId, segment }: ResponsePlace): string {
  return `resp_${conversationId}${messageId}${segment === 0 ? "" : `_${segment}`}`;
}

/** The kinds of items of an answer, as ids begin. */
export type ItemKind = "msg" | "rs" | "fc" | "mcp";

/** The id of an item of an answer, by its number among all items of the answer. */
export function itemIdOf(
  kind: ItemKind,
  { conversationId, messageId }: Omit<ResponsePlace, "segment">,
  number: number,
): string {
  return `${kind}_${conversationId}${messageId}_${number}`;
}

/** Reads the id of a response; undefined for what is none. */
export function parseResponseId(id: string): ResponsePlace | undefined {
  const [, conversationId, messageId, segment = "0"] =
    new RegExp(`^resp_(${ID})(${ID})(?:_([1-9]\\d{0,3}))?$`).exec(id) ?? [];
  if (conversationId === undefined || messageId === undefined) return undefined;
  return { conversationId, messageId, segment: Number(segment) };
}

/** Where an item with an id of ours is; undefined for other ids. */
export function parseItemId(
  id: string,
): (Omit<ResponsePlace, "segment"> & { readonly number: number }) | undefined {
  const [, conversationId, messageId, number] =
    new RegExp(`^(?:msg|rs|fc|mcp)_(${ID})(${ID})_(\\d{1,6})$`).exec(id) ?? [];
  if (conversationId === undefined || messageId === undefined) return undefined;
  return { conversationId, messageId, number: Number(number) };
}
