import { createPreference } from "./preference.ts";

/** The theme of the page; `system` follows the operating system. */
export type Theme = "system" | "light" | "dark";

export const theme = createPreference<Theme>("theme", ["system", "light", "dark"]);

/** How much room lists and controls take. */
export type Density = "comfortable" | "compact";

export const density = createPreference<Density>("density", ["comfortable", "compact"]);

/** The current theme. */
export const useTheme = (): Theme => theme.use();
