import { useSyncExternalStore } from "react";
import { buttonLook } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { join } from "../ui/join.ts";

let isOpen = false;
const listeners = new Set<() => void>();

/** Opens or closes the palette of the page. */
export function setPaletteOpen(value: boolean): void {
  isOpen = value;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether the palette is open, as a hook. */
export const usePaletteOpen = (): boolean => useSyncExternalStore(subscribe, () => isOpen);

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Opens the palette; `onOpen` is called before. */
export function PaletteButton({ onOpen }: { readonly onOpen?: () => void }) {
  return (
    <button
      type="button"
      aria-keyshortcuts={isApple ? "Meta+K" : "Control+K"}
      className={join(buttonLook("secondary"), "w-full justify-start! font-normal! text-muted")}
      onClick={() => {
        onOpen?.();
        setPaletteOpen(true);
      }}
    >
      <Icon name="search" />
      Search
      <kbd aria-hidden="true" className="ml-auto font-sans text-xs">
        {isApple ? "⌘K" : "Ctrl K"}
      </kbd>
    </button>
  );
}
