import { useSyncExternalStore } from "react";

/** The theme of the page; `system` follows the operating system. */
export type Theme = "system" | "light" | "dark";

const KEY = "parley-theme";
const listeners = new Set<() => void>();

function readTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** Applies the stored theme, also when another tab changes it. */
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

/** Stores and applies a theme. */
export function setTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The current theme. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme);
}
