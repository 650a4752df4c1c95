import type { Page } from "playwright-core";
import { expect } from "vitest";

/** What a page has read. */
interface ReadCache {
  removeQueries(filters: { readonly type: "inactive" }): void;
  resetQueries(filters: {
    readonly predicate: (query: { readonly queryKey: readonly unknown[] }) => boolean;
  }): Promise<void>;
}

/** The objects that the page sets on the window for developers. */
interface WithRouter {
  readonly __TSR_ROUTER__: {
    readonly routesByPath: Readonly<Record<string, unknown>>;
    readonly state: {
      readonly status: string;
      readonly resolvedLocation?: { readonly href: string };
    };
    readonly history: {
      push(path: string, state?: object, how?: { readonly ignoreBlocker: boolean }): void;
    };
    readonly options: { readonly context: { readonly queryClient: ReadCache } };
    getMatchedRoutes(
      pathname: string,
    ): [matched: unknown, params: unknown, found?: { readonly fullPath: string }];
  };
}

/** The routes that the console's router has. */
export async function routesOf(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    // oxlint-disable-next-line no-underscore-dangle -- what the router names itself in the page
    Object.keys((window as unknown as WithRouter).__TSR_ROUTER__.routesByPath),
  );
}

/** The route that the console's router has for each path, in their order. */
export async function matchRoutes(page: Page, paths: readonly string[]): Promise<string[]> {
  return page.evaluate((all) => {
    // oxlint-disable-next-line no-underscore-dangle -- what the router names itself in the page
    const router = (window as unknown as WithRouter).__TSR_ROUTER__;
    return all.map((path) => {
      const [, , found] = router.getMatchedRoutes(new URL(path, location.origin).pathname);
      return found?.fullPath ?? "none";
    });
  }, paths);
}

/** Goes to a path as a link of the console does, without reloading the document, and waits until it is shown. */
export async function goTo(page: Page, path: string, ignoreBlocker = false): Promise<void> {
  await page.evaluate(
    ([to, how]) => {
      // oxlint-disable-next-line no-underscore-dangle -- what the router names itself in the page
      (window as unknown as WithRouter).__TSR_ROUTER__.history.push(to, {}, how);
    },
    [path, { ignoreBlocker }] as const,
  );
  await page.waitForFunction((to) => {
    // oxlint-disable-next-line no-underscore-dangle -- what the router names itself in the page
    const { status, resolvedLocation } = (window as unknown as WithRouter).__TSR_ROUTER__.state;
    return status === "idle" && resolvedLocation?.href === to;
  }, path);
  await settled(page);
}

/** Leaves nothing of what a page shows, has read and says, as if it had just been opened; unsaved changes are lost. */
export async function startAnew(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: "light" });
  await page.mouse.move(0, 0);
  await goTo(page, "/no-access", true);
  await page.evaluate(async () => {
    for (const toast of document.querySelectorAll<HTMLElement>("[aria-label=Dismiss]"))
      toast.click();
    // oxlint-disable-next-line no-underscore-dangle -- what the router names itself in the page
    const { queryClient } = (window as unknown as WithRouter).__TSR_ROUTER__.options.context;
    queryClient.removeQueries({ type: "inactive" });
    // The session is read once, when it begins.
    await queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
  });
  const left = page.locator("[aria-label=Dismiss], [role=dialog], [role=menu]");
  await expect.poll(() => left.count()).toBe(0);
}

/** Waits until a page has its heading, and nothing of it is being read. */
export async function settled(page: Page): Promise<void> {
  // Not by its role, which it has not while a dialog is open.
  await page.locator("h1").waitFor();
  await expect.poll(() => page.locator("[aria-label^=Loading]").count()).toBe(0);
}
