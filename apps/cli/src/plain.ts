/** What others wrote, without what moves the cursor of a terminal but new lines and tabs, or turns the order of text. */
export const plain = (text: string): string =>
  text.replaceAll(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, "");

/** What others wrote in one line, without what moves the cursor of a terminal or turns the order of text. */
export const oneLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\s\u202A-\u202E\u2066-\u2069]+/gu, " ").trim();
