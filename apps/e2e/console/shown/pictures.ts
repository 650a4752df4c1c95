import type { ShownPage } from "./shown-page.ts";

/** The themes in which each page has a picture. */
export const themes = ["light", "dark"] as const;

/** The name of the file with a picture of a page, below `docs/console`. */
export const pictureOf = ({ name }: ShownPage, theme: (typeof themes)[number]): string =>
  `${name}-${theme}.webp`;
