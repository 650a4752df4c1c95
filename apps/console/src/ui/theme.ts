import { useSyncExternalStore } from "react";

/** How the page is coloured: as the system is, or in one way. */
export type Theme = "system" | "light" | "dark";

const KEY = "parley-theme";
const listeners = new Set<() => void>();

function readTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** Colours the page as it is kept, also when another tab changes it. */
export function applyTheme(): void {
  const show = (): void => {
    const theme = readTheme();
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  };
  show();
  listeners.add(show);
  addEventListener("storage", () => {
    for (const listener of listeners) listener();
  });
}

/** Keeps how the page is coloured, and colours it so. */
export function setTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** How the page is coloured. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme);
}
