import type { DescribedSetting } from "./config.ts";

/** The lines of settings in the help of a command. */
export const renderSettings = (settings: readonly DescribedSetting[]): string =>
  settings
    .map(
      ({ name, byDefault, description }) =>
        `  ${name}\n      ${description}${byDefault && ` (default: ${byDefault})`}`,
    )
    .join("\n");
