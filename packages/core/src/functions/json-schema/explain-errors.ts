import type { ErrorObject } from "ajv";

const MAX_LENGTH = 500;
/** Branches of an anyOf whose faults are reported. */
const MAX_BRANCHES = 5;

/** What is wrong with a value, and where; untrusted texts in it are cut. */
export interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Summarizes the faults of ajv: where, and what would be right. */
export function explainFault(faults: readonly ErrorObject[]): Fault {
  // The last fault is the summary: the faults of the branches of an anyOf come before it.
  const last = faults.at(-1);
  const fault = last?.keyword === "if" ? faults[0] : last;
  if (fault === undefined) return { path: [], message: "must match the schema" };
  const path: PropertyKey[] = fault.instancePath.split("/").slice(1).map(readSegment);
  const { params } = fault as { params: Record<string, unknown> };
  const extra = params["additionalProperty"] ?? params["unevaluatedProperty"];
  if (typeof extra === "string") path.push(cutFault(extra));
  const message = messageOf(fault);
  if (fault.keyword !== "anyOf" && fault.keyword !== "oneOf") {
    return { path, message: cutFault(message) };
  }
  const branches = faults.slice(0, Math.min(faults.length - 1, MAX_BRANCHES)).map(messageOf);
  return { path, message: cutFault([message, ...branches].join("; ")) };
}

/** A text, cut to the length of a message. */
export function cutFault(text: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`.toWellFormed();
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
      return "is not allowed";
    default:
      return message ?? "must match the schema";
  }
}

function readSegment(segment: string): string | number {
  return readName(segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** A member's name in the path of a fault: what looks like an index is one. */
export function readName(name: string): string | number {
  return /^\d{1,9}$/.test(name) ? Number(name) : cutFault(name);
}
