import { lazy, Suspense, useEffect } from "react";
import { setPaletteOpen, usePaletteOpen } from "./palette-button.tsx";
import type { PalettePage } from "./find-items.ts";

// Most pages are left without it.
const load = () => import("./palette.tsx");
const Palette = lazy(async () => ({ default: (await load()).Palette }));

/** Opens the palette for Ctrl-K or Cmd-K, wherever the focus is. `pages` are those that the reader may open. */
export function PaletteHost({ pages }: { readonly pages: readonly PalettePage[] }) {
  const isOpen = usePaletteOpen();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // Who holds the key down is about to type: it is there before the first letter. A failure is said once it opens.
      if (event.key === "Control" || event.key === "Meta") void load().catch(() => {});
      const isShortcut = (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey;
      if (!isShortcut || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      setPaletteOpen(true);
    };
    addEventListener("keydown", press);
    return () => {
      removeEventListener("keydown", press);
      setPaletteOpen(false);
    };
  }, []);
  if (!isOpen) return null;
  return (
    <Suspense>
      <Palette pages={pages} onClose={() => setPaletteOpen(false)} />
    </Suspense>
  );
}
