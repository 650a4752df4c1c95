import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { expectError, pathsOf, send } from "../request.ts";
import { type Server, shareServer } from "../server.ts";
import { publicUrl } from "./public-url.ts";

// What `conversation.url` leads to.

const run = promisify(execFile);

async function createUrl(server: Server): Promise<{ sId: string; url: string }> {
  const message = { content: "Only for its readers", mentions: [] };
  const { text } = await send(server, { path: pathsOf(server).conversations, json: { message } });
  return (JSON.parse(text) as { conversation: { sId: string; url: string } }).conversation;
}

const open = (server: Server, path: string, method = "GET") =>
  send(server, { path, method, key: null });

/** The commands of a page, as a reader sees them. */
const commandsIn = (html: string): string[] =>
  [...html.matchAll(/<pre>([^]*?)<\/pre>/g)].map(([, text = ""]) =>
    text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
  );

describe("the URL of a conversation", () => {
  const server = shareServer();

  test("opens without a key, and its commands read and follow the conversation", async () => {
    const { sId, url } = await createUrl(server());
    const page = await fetch(url);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const html = await page.text();
    expect(html).not.toContain("Only for its readers");
    const [read = "", follow = ""] = commandsIn(html);
    const env = { KEY: server().demo.adminKey };
    const { stdout } = await run("bash", ["-euc", read], { env });
    expect(JSON.parse(stdout)).toMatchObject({ conversation: { sId } });
    const followed = await run("bash", ["-uc", `${follow} --max-time 1`], { env }).catch(
      (error: { stdout: string }) => error,
    );
    expect(followed.stdout).toContain("user_message_new");
    const [, shown = ""] = /href="([^"]+\/conversations\/[^"]+)"/.exec(html) ?? [];
    expect(new URL(shown).pathname).toBe(`/conversations/${sId}`);
    const [, reference = ""] = /href="([^"]+\/docs\/api)"/.exec(html) ?? [];
    expect((await fetch(reference)).status).toBe(200);
  });

  test("is the same for every id, whether or not there is such a conversation", async () => {
    const { url } = await createUrl(server());
    const { pathname } = new URL(url);
    const [, , wId = "", , cId = ""] = pathname.split("/");
    const real = await open(server(), pathname);
    const none = await open(server(), "/w/nowhere/conversation/no-such_one");
    const without = (text: string, ...ids: string[]) =>
      ids.reduce((left, id) => left.replaceAll(id, "…"), text);
    expect(none.status).toBe(200);
    expect(without(none.text, "nowhere", "no-such_one")).toBe(without(real.text, wId, cId));
    const namesOf = ({ headers }: typeof real) => [...headers.keys()].toSorted();
    expect(namesOf(none)).toEqual(namesOf(real));
  });

  test("allows nothing but its own style", async () => {
    const { headers, text } = await open(server(), "/w/a/conversation/b");
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none';style-src 'sha256-[^']+';img-src data:;base-uri 'none';form-action 'none';frame-ancestors 'none'$/,
    );
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(text).not.toContain("<script");
    expect(text.length).toBeLessThan(4096);
  });

  test.for([
    "/w/a/conversation/%3Cscript%3E",
    "/w/a/conversation/%22%3E",
    "/w/$(id)/conversation/b",
    "/w/a/conversation/b%0A",
    `/w/a/conversation/${"b".repeat(65)}`,
    "/w/a/conversation/",
  ])("%s is no such page", async (path) => {
    expectError(await open(server(), path), "not_found");
  });

  test("is only read", async () => {
    const { status, text } = await open(server(), "/w/a/conversation/b", "HEAD");
    expect([status, text]).toEqual([200, ""]);
    const posted = await open(server(), "/w/a/conversation/b", "POST");
    expectError(posted, "method_not_supported_error");
    expect(posted.headers.get("allow")).toBe("GET");
  });
});

describe("with PARLEY_PUBLIC_URL", () => {
  const server = shareServer({ PARLEY_PUBLIC_URL: publicUrl });

  test("the page shows the public URL with its path", async () => {
    const { sId, url } = await createUrl(server());
    expect(url).toMatch(`${publicUrl}/w/`);
    const { text } = await open(server(), url.slice(publicUrl.length));
    const { conversations } = pathsOf(server());
    expect(commandsIn(text)[0]).toContain(`"${publicUrl}${conversations}/${sId}"`);
    expect(text).toContain(`href="${publicUrl}/docs/api"`);
  });
});
