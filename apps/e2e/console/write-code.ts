import type { Page } from "playwright-core";

/**
 * Replaces the text of an editor. The old text is deleted first: typing over coloured text makes Chromium log an
 * inline style.
 */
export async function writeCode(page: Page, name: string, text: string): Promise<void> {
  const editor = page.getByRole("textbox", { name, exact: true });
  await editor.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
}

/** The text of an editor, which shows all of a short one. */
export async function codeIn(page: Page, name: string): Promise<string> {
  const editor = page.getByRole("textbox", { name, exact: true });
  return (await editor.locator(".cm-line").allTextContents()).join("\n");
}
