import type { Page } from "playwright-core";
import { createRpcClient } from "parley-client";
import { beforeAll, describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { shareShop } from "../tools/shop-server.ts";
import { expectAccessible, hasBrowser, shareConsole } from "./open-console.ts";
import { fillShop, type ShownIds, useAgents } from "./shown/fill-shop.ts";
import { pages } from "./shown/pages.ts";
import { endpointsOf, watchPage } from "./shown/watch-page.ts";

const signedIn = pages.filter(({ keys }) => keys !== undefined);
const roles = ["operator", "admin", "builder", "user"] as const;

/** What needs the router of the page, which it leaves at the window for its developers. */
interface WithRouter {
  readonly __TSR_ROUTER__: {
    readonly routesByPath: Readonly<Record<string, unknown>>;
  };
}

/** Whether a route is for a role: where it shows several things, some of them may be. */
const isForRole = (route: string, role: (typeof roles)[number]): boolean =>
  pages.some((page) => page.route === route && page.keys?.includes(role) === true);

describe.skipIf(!hasBrowser)("every page", () => {
  const server = shareServer({
    PARLEY_PRIVATE_HOSTS: "127.0.0.1",
    PARLEY_RATE_READ_PER_MINUTE: "0",
  });
  const opened = shareConsole(server);
  const shop = shareShop();
  let ids: ShownIds;
  /** What the user's key may see: conversations and invocations of others are not for it. */
  let idsOfUser: ShownIds;
  const secrets = new Map<(typeof roles)[number], string>();

  beforeAll(async () => {
    ids = await fillShop(server(), shop());
    const { url, demo } = server();
    const { apiKeys } = createRpcClient({ url, apiKey: demo.adminKey });
    const builder = { wId: demo.workspaceId, name: "a builder", role: "builder" } as const;
    secrets.set("operator", demo.operatorKey);
    secrets.set("admin", demo.adminKey);
    secrets.set("builder", (await apiKeys.create.mutate(builder)).secret);
    secrets.set("user", demo.userKey);
    idsOfUser = { ...ids, ...(await useAgents(server(), demo.userKey)) };
  });

  const enter = async (role: (typeof roles)[number]) =>
    opened().enter("/no-access", { key: secrets.get(role) ?? "" });

  const idsFor = (role: (typeof roles)[number]) => (role === "user" ? idsOfUser : ids);

  const open = async (page: Page, path: string) => {
    await page.goto(opened().url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(() => page.locator("[aria-label^=Loading]").count()).toBe(0);
  };

  it("is in the table of pages", async () => {
    const page = await enter("admin");
    const known = await page.evaluate(() =>
      // oxlint-disable-next-line no-underscore-dangle -- what the router names itself in the page
      Object.keys((window as unknown as WithRouter).__TSR_ROUTER__.routesByPath),
    );
    // The path of the beginning leads to the first page of a key.
    const named = new Set(pages.map(({ route }) => route));
    expect([...named].toSorted()).toEqual(known.filter((route) => route !== "/").toSorted());
  });

  describe.for(roles)("for a key of the role %s", (role) => {
    it("is whole, accessible and as wide as the screen, or says that it is not for the key", async () => {
      const page = await enter(role);
      const watched = watchPage(page);
      for (const { route, pathOf } of signedIn) {
        await open(page, pathOf(idsFor(role)));
        const isFor = isForRole(route, role);
        const heading = page.getByRole("heading", { level: 1 });
        expect(await heading.count(), route).toBe(1);
        const isForbidden = (await heading.textContent()) === "This page is not for your key";
        expect(isForbidden, `${route} is refused`).toBe(!isFor);
        // The title comes with what is read.
        await expect
          .poll(async () => (await page.title()) === `${await heading.textContent()} · Parley`, {
            message: `title of ${route}`,
          })
          .toBe(true);
        await expectAccessible(page);
      }
      expect(watched).toMatchObject({ failed: [], unknown: [], logged: [] });
      expect([...watched.called]).toContain("session.get");
    });

    it("leads to pages that exist, and that are for the key", async () => {
      const page = await enter(role);
      const found = new Map<string, string>();
      for (const { keys, pathOf } of signedIn) {
        if (keys?.includes(role) !== true) continue;
        await open(page, pathOf(idsFor(role)));
        const links = page.locator("a[href]");
        for (const href of await links.evaluateAll((all) =>
          all.map((one) => (one as HTMLAnchorElement).href),
        )) {
          const url = new URL(href);
          expect(url.origin, `${page.url()} leads to ${href}`).toBe(opened().url);
          if (url.pathname === new URL(page.url()).pathname) continue;
          found.set(url.pathname + url.search, page.url());
        }
      }
      expect(found.size).toBeGreaterThan(role === "operator" ? 3 : 10);
      const dead: string[] = [];
      for (const [path, from] of found) {
        await open(page, path);
        const fault = page.getByText(
          /^(There is no such page|This page is not for your key|This page failed)$/,
        );
        if ((await fault.count()) > 0) dead.push(`${from} leads to ${path}`);
      }
      expect(dead).toEqual([]);
    });
  });

  it("is whole where nobody has signed in", async () => {
    for (const { keys, pathOf } of pages) {
      if (keys !== undefined) continue;
      const page = await opened().visit();
      const watched = watchPage(page);
      await open(page, pathOf(ids));
      expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
      await expectAccessible(page);
      // That there is no session yet is what the page asks for.
      expect(watched.failed.filter((line) => !line.endsWith("/api/session"))).toEqual([]);
      expect(watched.unknown).toEqual([]);
    }
  });

  it("calls endpoints of the table alone: others would be found", () => {
    const nameOf = (method: string, path: string) =>
      endpointsOf(method, new URL(path, opened().url));
    expect(nameOf("GET", "/api/v1/w/abc/skills")).toContain("skills.list");
    expect(nameOf("GET", "/rpc/runs.list,actions.listBlocked?batch=1")).toHaveLength(2);
    expect(nameOf("GET", "/rpc/runs.list,runs.nothing?batch=1")).toBeUndefined();
    expect(nameOf("DELETE", "/api/v1/w/abc/skills")).toBeUndefined();
    expect(nameOf("GET", "/api/v1/w/abc/nothing")).toBeUndefined();
  });
});
