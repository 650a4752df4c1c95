/** The target of a sign-in: a path of this site, or `/` for anything else. */
export function safeNext(next: unknown): string {
  if (typeof next !== "string" || !/^\/(?![/\\])/.test(next)) return "/";
  const url = new URL(next, "http://page.test");
  const isElsewhere = url.origin !== "http://page.test" || url.pathname === "/sign-in";
  return isElsewhere ? "/" : url.pathname + url.search + url.hash;
}

/** The one-time code in the fragment of the page's URL, as in `#code=…`. */
export function codeIn(hash: string): string | undefined {
  const code = new URLSearchParams(hash.replace(/^#/, "")).get("code");
  return code === null || code === "" ? undefined : code;
}
