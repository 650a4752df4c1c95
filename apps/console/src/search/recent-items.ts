import type { Item } from "./find-items.ts";

const MAX_RECENT = 8;
const keyOf = (workspaceId: string | undefined): string =>
  `parley-recent-${workspaceId ?? "server"}`;

/** What the reader has lately opened from the palette, in this browser, the newest first. */
export function readRecent(workspaceId: string | undefined): readonly Item[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(workspaceId)) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isItem).slice(0, MAX_RECENT) : [];
  } catch {
    return [];
  }
}

/** Puts an item before the others. */
export function keepRecent(workspaceId: string | undefined, item: Item): void {
  const others = readRecent(workspaceId).filter(({ href }) => href !== item.href);
  const kept = [item, ...others].slice(0, MAX_RECENT);
  localStorage.setItem(keyOf(workspaceId), JSON.stringify(kept));
}

/** Another version of the console may have written it. */
function isItem(value: unknown): value is Item {
  if (typeof value !== "object" || value === null) return false;
  const { href, name, note } = value as Record<string, unknown>;
  return (
    typeof href === "string" &&
    href.startsWith("/") &&
    typeof name === "string" &&
    typeof note === "string"
  );
}
