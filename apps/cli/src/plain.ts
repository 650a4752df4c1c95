/** What others wrote, without what moves the cursor of a terminal but new lines and tabs. */
export const plain = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]/gu, "");

/** What others wrote in one line, without what moves the cursor of a terminal. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
