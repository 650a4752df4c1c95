import { formatPath, type Issue, toStorable } from "@parley/schema";
import type { ErrorObject } from "ajv/dist/2020.js";

const MAX_LENGTH = 500;
/** Branches of an anyOf of which the faults are told. */
const MAX_BRANCHES = 5;

/** Says what the faults that ajv found come to: where, and what would be right. */
export function explainFault(faults: readonly ErrorObject[], root: string): Issue {
  // The last one sums up: of an anyOf, the faults by each of its branches come before.
  const last = faults.at(-1);
  const fault = last?.keyword === "if" ? faults[0] : last;
  if (fault === undefined) return { path: root, message: "must match the schema" };
  const path = [root, ...fault.instancePath.split("/").slice(1).map(readSegment)];
  const { params } = fault as { params: Record<string, unknown> };
  const extra = params["additionalProperty"] ?? params["unevaluatedProperty"];
  if (typeof extra === "string") path.push(extra);
  const message = messageOf(fault);
  if (fault.keyword !== "anyOf" && fault.keyword !== "oneOf") {
    return { path: cut(formatPath(path)), message: cut(message) };
  }
  const branches = faults.slice(0, Math.min(faults.length - 1, MAX_BRANCHES)).map(messageOf);
  return { path: cut(formatPath(path)), message: cut([message, ...branches].join("; ")) };
}

function messageOf({ keyword, message, params: raw }: ErrorObject): string {
  const params = raw as Record<string, unknown>;
  switch (keyword) {
    case "enum": {
      const allowed = params["allowedValues"] as readonly unknown[];
      return `must be one of ${allowed.map((value) => JSON.stringify(value)).join(", ")}`;
    }
    case "const":
      return `must be ${JSON.stringify(params["allowedValue"])}`;
    case "additionalProperties":
    case "unevaluatedProperties":
    case "false schema":
      return "must not be there";
    default:
      return message ?? "must match the schema";
  }
}

function readSegment(segment: string): string | number {
  const name = segment.replaceAll("~1", "/").replaceAll("~0", "~");
  return /^\d{1,9}$/.test(name) ? Number(name) : name;
}

function cut(text: string): string {
  return text.length <= MAX_LENGTH ? text : toStorable(`${text.slice(0, MAX_LENGTH)}…`);
}
