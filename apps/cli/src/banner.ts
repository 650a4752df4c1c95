import type { Demo } from "./demo-file.ts";

/** The first output of a server: its URL, and how to call it. */
export function renderBanner(url: string, demo: Demo | undefined): string {
  const lines = [`Parley listens on ${url}`];
  if (demo !== undefined) lines.push("", ...renderCalls(url, demo));
  return `${lines.join("\n")}\n`;
}

function renderCalls(url: string, demo: Demo): string[] {
  const authorization = `-H 'Authorization: Bearer ${demo.adminKey}'`;
  const json = "-H 'Content-Type: application/json'";
  const body = JSON.stringify({
    message: { content: "Hello!", mentions: [{ configurationId: "helper" }] },
    blocking: true,
  });
  const workspace = `${url}/api/v1/w/${demo.workspaceId}`;
  const invocations = `${url}/api/w/${demo.workspaceId}/sandbox-functions/slow-steps/invocations`;
  return [
    "Create a conversation and wait for the answer:",
    `  curl -s ${authorization} ${json} -d '${body}' ${workspace}/assistant/conversations`,
    "",
    "List the skills:",
    `  curl -s ${authorization} ${workspace}/skills`,
    "",
    "Invoke a sandbox function and follow its events:",
    `  curl -sNL ${authorization} ${invocations}/$(curl -s ${authorization} ${json} ` +
      `-H 'Prefer: respond-async' -d '{}' ${invocations} | ` +
      `sed 's/.*"sId":"\\([^"]*\\)".*/\\1/')/events`,
  ];
}
