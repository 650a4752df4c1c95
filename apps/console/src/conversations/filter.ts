/** Which conversations of a page are shown. */
interface Filter {
  readonly q?: string | undefined;
  readonly show?: "unread" | "waiting" | undefined;
}

interface Filtered {
  readonly title: string;
  readonly unread: boolean;
  readonly actionRequired: boolean;
}

/** Whether a conversation is shown: its title contains every word of `q`, ignoring case. */
export function matchesFilter(
  { title, unread, actionRequired }: Filtered,
  { q = "", show }: Filter,
): boolean {
  if (show === "unread" && !unread) return false;
  if (show === "waiting" && !actionRequired) return false;
  const lower = title.toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
