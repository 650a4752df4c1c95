import { oneLine, plain } from "@parley/command/print";
import { type InvocationEvent, ownFilesOf, packagesOf, type ProgramPackage } from "@parley/schema";
import { filesOfProgram, type ShownFunction } from "./function-members.ts";

/** The lines that show a function with its program. */
export function renderFunction(shown: ShownFunction): string[] {
  const { slug, sId, version, status, description, program, timeoutMs, maxConcurrent } = shown;
  const lines = [`${slug} (${sId}): ${program.type}, version ${version}, ${status}`];
  if (description !== "") lines.push(`  description: ${oneLine(description)}`);
  lines.push(`  timeout: ${timeoutMs} ms; at most ${maxConcurrent} concurrent`);
  if (shown.requiresApproval) lines.push("  calls by agents need approval");
  if (shown.retryable) lines.push("  rerun if interrupted");
  if (!("cpuMs" in program)) return lines;
  const { cpuMs, memoryBytes, allowedHosts = [], secrets = [] } = program;
  lines.push(`  limits: ${cpuMs} ms of processor time, ${memoryBytes} bytes of memory`);
  if (allowedHosts.length > 0) lines.push(`  hosts: ${allowedHosts.join(", ")}`);
  const named = secrets.map(({ name, readable }) => (readable ? `${name} (readable)` : name));
  if (named.length > 0) lines.push(`  secrets: ${named.join(", ")}`);
  const files = filesOfProgram(program);
  for (const [name, text] of Object.entries(ownFilesOf(files))) {
    lines.push(`  - ${name}: ${Buffer.byteLength(text)} bytes`);
  }
  lines.push(...packagesOf(files).map(renderPackage));
  return lines;
}

function renderPackage({ name, version, license }: ProgramPackage): string {
  const ofLicense = license === "" ? "names no license" : license;
  return `  package: ${oneLine(`${name} ${version} (${ofLicense})`)}`;
}

/** The line for an event of an invocation, without its time. */
export function renderInvocationEvent(event: InvocationEvent): string {
  switch (event.type) {
    case "sandbox_function_invocation_created":
      return `created ${event.invocation.sId}`;
    case "sandbox_function_invocation_log":
      return `${event.stream} ${plain(event.text)}`;
    case "sandbox_function_invocation_progress":
      return `progress ${event.done}/${event.total} ${plain(event.label)}`.trimEnd();
    case "sandbox_function_invocation_result":
      return `succeeded ${renderJson(event.result)}`;
    case "sandbox_function_invocation_error":
      return `errored ${event.error.code}: ${plain(event.error.message)}`;
    default:
      // A newer server may send others.
      return plain((event satisfies never as InvocationEvent).type);
  }
}

/** JSON in one line, for a terminal too. */
export const renderJson = (value: unknown): string =>
  JSON.stringify(value ?? null).replaceAll(
    /[\u007f-\u009f]/g,
    (control) => `\\u00${control.charCodeAt(0).toString(16)}`,
  );
