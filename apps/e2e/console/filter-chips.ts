import type { Page } from "playwright-core";

/** Filters a list by a value that is typed. */
export async function typeFilter(page: Page, label: string, value: string): Promise<void> {
  await page.getByRole("button", { name: new RegExp(`^${label}`) }).click();
  const dialog = page.getByRole("dialog", { name: "Filter" });
  await dialog.getByLabel(label, { exact: true }).fill(value);
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.waitFor({ state: "detached" });
}
