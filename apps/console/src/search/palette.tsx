import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { hasScope } from "../api/access.ts";
import { trpc } from "../api/clients.ts";
import { useSession } from "../api/use-session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { join } from "../ui/join.ts";
import {
  findOnServer,
  findPlaces,
  type Item,
  matching,
  type PalettePage,
  readNamed,
  searchItem,
} from "./find-items.ts";
import { keepRecent, readRecent } from "./recent-items.ts";

/** Time without typing after which the server is asked. */
const TYPED_MS = 150;
const MAX_QUERY_CHARACTERS = 255;

interface PaletteProps {
  readonly pages: readonly PalettePage[];
  readonly onClose: () => void;
}

/**
 * Leads to pages, actions, agents, functions, conversations and pasted ids: a combobox with a list of what is found
 * (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/). The focus stays in the field.
 */
export function Palette({ pages, onClose }: PaletteProps) {
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const router = useRouter();
  const session = useSession();
  const { items, isSearching } = useItems(typed.trim(), pages);
  const active = Math.min(chosen, items.length - 1);
  const open = (item: Item | undefined) => {
    if (item === undefined) return;
    keepRecent(session.workspace?.sId, item);
    onClose();
    router.history.push(item.href);
  };
  const press = (event: KeyboardEvent) => {
    const to = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: items.length - 1 }[
      event.key
    ];
    if (event.key === "Enter") open(items[active]);
    else if (to === undefined || items.length === 0) return;
    else setChosen((to + items.length) % items.length);
    event.preventDefault();
  };
  return (
    <Dialog title="Search" isOpen onOpenChange={onClose} first={field}>
      <input
        type="text"
        role="combobox"
        aria-label="Search"
        aria-expanded={items.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={items.length > 0 ? `${id}-${active}` : undefined}
        placeholder="A page, name, title, words or id"
        autoComplete="off"
        spellCheck={false}
        maxLength={MAX_QUERY_CHARACTERS}
        ref={field}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setChosen(0);
        }}
        onKeyDown={press}
        className="min-h-(--control) w-full rounded-md border border-control bg-canvas px-2.5 text-ink"
      />
      <ul id={`${id}-list`} role="listbox" aria-label="Found" className="max-h-80 overflow-y-auto">
        {items.map((item, index) => (
          <li
            key={`${item.note} ${item.href}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            ref={index === active ? scrollTo : undefined}
            className={join(
              "flex cursor-pointer items-baseline justify-between gap-3 rounded px-2 py-1.5",
              index === active && "bg-accent-soft text-accent",
            )}
            onPointerMove={() => setChosen(index)}
            onClick={() => open(item)}
          >
            <span className="min-w-0 truncate">{item.name}</span>
            <span className="shrink-0 text-sm text-muted">{item.note}</span>
          </li>
        ))}
      </ul>
      <p role="status" className="text-sm text-muted">
        {isSearching ? "Searching …" : items.length === 0 ? "Nothing found" : ""}
      </p>
    </Dialog>
  );
}

const scrollTo = (element: HTMLElement | null): void =>
  element?.scrollIntoView?.({ block: "nearest" });

/** What is offered for what is typed; without anything, what was opened lately and the pages. */
function useItems(typed: string, pages: readonly PalettePage[]) {
  const session = useSession();
  const wId = session.workspace?.sId;
  const [asked, setAsked] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed), TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const named = useQuery({
    queryKey: [...trpc.agents.list.pathKey(), "palette", wId],
    queryFn: async ({ signal }) => readNamed(session, signal),
    staleTime: 30_000,
  });
  const found = useQuery({
    queryKey: [...trpc.search.pathKey(), wId, asked],
    queryFn: async ({ signal }) => findOnServer(session, asked, signal),
    enabled: asked !== "",
  });
  const places = findPlaces(session, pages, typed);
  if (typed === "") return { items: unique([...readRecent(wId), ...places]), isSearching: false };
  const canSearch = wId !== undefined && hasScope(session, "conversations:read");
  const items = [
    ...places,
    ...matching(named.data ?? [], typed),
    ...(asked === typed ? (found.data ?? []) : []),
    ...(canSearch ? [searchItem(typed)] : []),
  ];
  return { items: unique(items), isSearching: found.isFetching || asked !== typed };
}

function unique(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.toReversed().map((item) => [item.href, item])).values()].toReversed();
}
