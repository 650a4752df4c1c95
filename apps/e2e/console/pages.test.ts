import type { Page } from "playwright-core";
import { createRpcClient } from "parley-client";
import { beforeAll, describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { shareShop } from "../tools/shop-server.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";
import { goTo, matchRoutes, routesOf, settled } from "./go-to.ts";
import { fillSchedules } from "./shown/fill-schedules.ts";
import { fillShop, type ShownIds, useAgents } from "./shown/fill-shop.ts";
import { pages } from "./shown/pages.ts";
import type { ShownPage } from "./shown/shown-page.ts";
import { endpointsOf, watchPage } from "./shown/watch-page.ts";

const signedIn = pages.filter(({ keys }) => keys !== undefined);
const roles = ["operator", "admin", "builder", "user"] as const;
type Role = (typeof roles)[number];

const FORBIDDEN = "You don't have access to this page";
const NOT_FOUND = "Page not found";

/** Whether a route is for a role: for at least one of the pages that it shows. */
const isForRole = (route: string, role: Role): boolean =>
  pages.some((page) => page.route === route && page.keys?.includes(role) === true);

/** The role that sees most of a page. */
const roleOf = ({ keys }: ShownPage): Role =>
  keys?.includes("admin") === true ? "admin" : "operator";

/** A page as a role saw it. */
interface Seen {
  readonly route: string;
  readonly path: string;
  readonly headings: readonly string[];
  readonly links: readonly string[];
}

describe.skipIf(!hasBrowser)("every page", () => {
  const server = shareServer({
    PARLEY_PRIVATE_HOSTS: "127.0.0.1",
    PARLEY_RATE_READ_PER_MINUTE: "0",
  });
  const opened = shareConsole(server);
  const shop = shareShop();
  let ids: ShownIds;
  /** The ids for the user's key, which may not see conversations and invocations of others. */
  let idsOfUser: ShownIds;
  /** Those for the builder's key, with a schedule and a webhook that it may manage. */
  let idsOfBuilder: ShownIds;
  const secrets = new Map<(typeof roles)[number], string>();

  beforeAll(async () => {
    ids = await fillShop(server(), shop());
    const { url, demo } = server();
    const { apiKeys } = createRpcClient({ url, apiKey: demo.adminKey });
    const builder = { wId: demo.workspaceId, name: "a builder", role: "builder" } as const;
    secrets.set("operator", demo.operatorKey);
    secrets.set("admin", demo.adminKey);
    const { secret } = await apiKeys.create.mutate(builder);
    secrets.set("builder", secret);
    const scheduleId = await fillSchedules(server(), secret);
    const { webhook } = await createRpcClient({ url, apiKey: secret }).webhooks.create.mutate({
      wId: demo.workspaceId,
      url: "https://webhooks.example/helper",
      events: ["message.failed"],
      agentIds: ["helper"],
    });
    idsOfBuilder = { ...ids, scheduleId, webhookId: webhook.sId };
    secrets.set("user", demo.userKey);
    idsOfUser = { ...ids, ...(await useAgents(server(), demo.userKey)) };
  });

  /** The tab of a role. */
  const enter = async (role: Role) =>
    opened().enter("/no-access", { key: secrets.get(role) ?? "" });

  const pathFor = ({ pathOf }: ShownPage, role: Role) =>
    pathOf(role === "user" ? idsOfUser : role === "builder" ? idsOfBuilder : ids);

  const see = async (page: Page, path: string): Promise<Omit<Seen, "route">> => {
    await goTo(page, path);
    const readHeadings = () => page.getByRole("heading", { level: 1 }).allTextContents();
    // Both appear once the page is loaded.
    const isTitled = async () => (await page.title()) === `${(await readHeadings())[0]} · Parley`;
    await expect.poll(isTitled, { message: `title of ${path}` }).toBe(true);
    const headings = await readHeadings();
    const links = await page
      .locator("a[href]")
      .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
    return { path, headings, links };
  };

  const seeAll = async (role: Role): Promise<readonly Seen[]> => {
    const page = await enter(role);
    await page.goto(opened().url);
    await settled(page);
    const watched = watchPage(page);
    const seen: Seen[] = [];
    for (const shown of signedIn) {
      seen.push({ route: shown.route, ...(await see(page, pathFor(shown, role))) });
    }
    expect(watched).toMatchObject({ failed: [], unknown: [], logged: [] });
    return seen;
  };

  const walks = new Map<Role, Promise<readonly Seen[]>>();
  /** All pages as a role sees them; each role goes through them once. */
  const walk = async (role: Role) => {
    const seen = walks.get(role) ?? seeAll(role);
    walks.set(role, seen);
    return seen;
  };

  it("is in the table of pages", async () => {
    const known = await routesOf(await enter("admin"));
    // The path `/` redirects to the first page of a key.
    const named = new Set(pages.map(({ route }) => route));
    expect([...named].toSorted()).toEqual(known.filter((route) => route !== "/").toSorted());
  });

  it.for(roles)("opens for a key of the role %s, or is refused", async (role) => {
    for (const { route, headings } of await walk(role)) {
      expect(headings, route).toHaveLength(1);
      expect(headings[0] === FORBIDDEN, `${route} is refused`).toBe(!isForRole(route, role));
      expect(headings[0] === NOT_FOUND, `${route} is not there`).toBe(route === "/$");
    }
  });

  // Fifty pages, each looked at twice.
  it(
    "is accessible in light and dark, and as wide as the screen",
    { timeout: 400_000 },
    async () => {
      const byRole = Map.groupBy(signedIn, roleOf);
      expect([...byRole.keys()].toSorted()).toEqual(["admin", "operator"]);
      for (const [role, shown] of byRole) {
        const page = await enter(role);
        for (const one of shown) {
          await goTo(page, pathFor(one, role));
          await expectAccessible(page);
        }
      }
    },
  );

  it("is accessible if it is refused, as each refused page is", async () => {
    const page = await enter("admin");
    await goTo(page, "/operator-keys");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(FORBIDDEN);
    await expectAccessible(page);
  });

  it("leads to pages that exist, and that are for the key", async () => {
    /** The roles that see each link, the lowest last, and the page with the link. */
    const found = new Map<string, { readonly from: string; readonly roles: Set<Role> }>();
    for (const role of roles) {
      const seen = await walk(role);
      for (const { path, links } of seen.filter(({ route }) => isForRole(route, role))) {
        for (const href of links) {
          const url = new URL(href);
          expect(url.origin, `${path} leads to ${href}`).toBe(opened().url);
          // The link that skips the menu, for one.
          if (url.pathname === new URL(path, opened().url).pathname) continue;
          const to = url.pathname + url.search;
          const link = found.get(to) ?? { from: path, roles: new Set() };
          found.set(to, link);
          link.roles.add(role);
        }
      }
      const own = [...found.values()].filter((link) => link.roles.has(role));
      expect(own.length, `links for ${role}`).toBeGreaterThan(role === "operator" ? 3 : 10);
    }
    const dead: string[] = [];
    const matched = await matchRoutes(await enter("admin"), [...found.keys()]);
    for (const [index, link] of [...found.values()].entries()) {
      const route = matched[index] ?? "none";
      for (const role of link.roles) {
        const isDead = route !== "/" && (route === "/$" || !isForRole(route, role));
        if (isDead) dead.push(`${link.from} leads ${role} to ${route}`);
      }
    }
    // Each once, with the key that may least of those that are led to it.
    const byRole = Map.groupBy(found, ([, link]) => [...link.roles].at(-1) ?? "user");
    for (const [role, links] of byRole) {
      const opens = new Set((await walk(role)).map(({ path }) => path));
      const page = await enter(role);
      for (const [path, { from }] of links) {
        // The walk has already waited for the target of `/`.
        if (path === "/" || opens.has(path)) continue;
        await goTo(page, path);
        const fault = page.getByText(
          /^(Page not found|You don't have access to this page|Something went wrong)$/,
        );
        if ((await fault.count()) > 0) dead.push(`${from} leads to ${path}`);
      }
    }
    expect(dead).toEqual([]);
  });

  it("is complete before a sign-in", async () => {
    for (const { keys, pathOf } of pages) {
      if (keys !== undefined) continue;
      const page = await opened().visit();
      const watched = watchPage(page);
      await page.goto(opened().url + pathOf(ids));
      await settled(page);
      expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
      await expectAccessible(page);
      // The page asks for a session, which does not exist yet.
      expect(watched.failed.filter((line) => !line.endsWith("/api/session"))).toEqual([]);
      expect(watched.unknown).toEqual([]);
    }
  });

  it("calls only endpoints of the table: others would be found", () => {
    const nameOf = (method: string, path: string) =>
      endpointsOf(method, new URL(path, opened().url));
    expect(nameOf("GET", "/api/v1/w/abc/skills")).toContain("skills.list");
    expect(nameOf("GET", "/rpc/runs.list,actions.listBlocked?batch=1")).toHaveLength(2);
    expect(nameOf("GET", "/rpc/runs.list,runs.nothing?batch=1")).toBeUndefined();
    expect(nameOf("DELETE", "/api/v1/w/abc/skills")).toBeUndefined();
    expect(nameOf("GET", "/api/v1/w/abc/nothing")).toBeUndefined();
  });
});
