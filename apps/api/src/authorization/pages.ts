import type { ComingBack, DescribedAuthorization } from "@parley/core";
import { escapeHtml } from "../http/html-page.ts";

/** Asks whether it is this user who allows it. */
export function describeQuestion(described: DescribedAuthorization, back: ComingBack): string {
  const { toolName, userName, workspaceName, serverHost } = described;
  const { path, state, code, issuer } = back;
  const fields = { state, code, ...(issuer !== undefined && { iss: issuer }) };
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
  );
  return `<h1>Let agents use ${escapeHtml(toolName)}?</h1>
<p>Agents of the workspace <strong>${escapeHtml(workspaceName)}</strong> will call it in the name of
<strong>${escapeHtml(userName)}</strong>${emailOf(described)}, with what you have just allowed at
<strong>${escapeHtml(serverHost)}</strong>. If that is not you, close this page: somebody else sent you here.</p>
<form method="post" action="${escapeHtml(path.slice(path.lastIndexOf("/") + 1))}">
${inputs.join("\n")}
<button>Allow</button>
</form>`;
}

/** Says that it is allowed. */
export function describeAllowed(described: DescribedAuthorization): string {
  const { toolName, userName } = described;
  return `<h1>${escapeHtml(toolName)} is allowed</h1>
<p>Agents may call it for <strong>${escapeHtml(userName)}</strong>${emailOf(described)}. The waiting calls continue.
You can close this page.</p>`;
}

/** Says why it is not. */
export function describeFailure(message: string): string {
  return `<h1>Access was not granted</h1>
<p>${escapeHtml(message)}</p>`;
}

function emailOf({ userEmail }: DescribedAuthorization): string {
  return userEmail === "" ? "" : ` (${escapeHtml(userEmail)})`;
}
