/** The build of the console that runs beside a server of the workspace. */
export interface ConsoleBuild {
  /** Where the files are when it is done. */
  readonly folder: string;
  readonly state: () => "running" | "failed" | "done";
  /** The command that starts the server again, for the page of a build that failed. */
  readonly startCommand: string;
}

/** What stands in for the console's pages until it is built. */
export interface BuildPage {
  readonly status: 500 | 503;
  readonly html: string;
}

/** The path of the script that shows the next page as soon as there is one. */
export const RELOAD_PATH = "/build-page.js";

// The fragment, which may sign in, outlives a reload, and in no browser a refresh by a header for certain.
export const reloadScript = `const shown = Number(document.body.dataset.status);
setInterval(async () => {
  const headers = { accept: "text/html" };
  const answer = await fetch(location.pathname, { headers, cache: "no-store" }).catch(() => undefined);
  if (answer !== undefined && answer.status !== shown) location.reload();
}, 500);
`;

/** Renders the page of a build that is not done. */
export function renderBuildPage(state: "running" | "failed", startCommand: string): BuildPage {
  const status = state === "running" ? 503 : 500;
  const text =
    state === "running"
      ? "<p>The console is being built. It opens here in a few seconds.</p>"
      : "<p>The console could not be built. See the server's output.</p>\n" +
        `<p>Fix it, then restart the server: <code>${startCommand}</code></p>`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Parley</title>
<script src="${RELOAD_PATH}" defer></script>
</head>
<body data-status="${status}">
<main>
<h1>Parley</h1>
<div role="status">
${text}
</div>
<noscript><p>The console of Parley needs JavaScript.</p></noscript>
</main>
</body>
</html>
`;
  return { status, html };
}
