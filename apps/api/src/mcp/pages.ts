import { ProtocolError, ProtocolErrorCode, type Tool } from "@modelcontextprotocol/server";

/** Where a page of one kind of tools begins, and how many it has at most. */
export interface ListPage {
  readonly lastValue?: string | undefined;
  readonly limit: number;
}

/** A page of one kind of tools. */
export interface ToolPage {
  readonly tools: readonly Tool[];
  readonly hasMore: boolean;
  readonly lastValue: string | null;
}

/** The page of a kind that the caller may not call. */
export const noTools: ToolPage = { tools: [], hasMore: false, lastValue: null };

/** The error for a cursor that no page has returned. */
export function invalidCursor(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid cursor");
}
