import { closestMatch } from "leven";
import type * as z from "zod";

/** The settings are invalid; the message names each fault. */
export class BadConfiguration extends Error {
  override readonly name = "BadConfiguration";
}

type Values = Readonly<Record<string, string | undefined>>;

const PREFIX = "PARLEY_";
/** Changed letters up to which a name counts as misspelt. */
const MAX_DISTANCE = 4;
const MAX_SHOWN_LENGTH = 100;

/** Settings whose value is a secret, or contains one in places that a malformed value hides. */
const SECRETS = /_KEY$|^(?:DATABASE|REDIS)_URL$/;

/** A sentence for each name that begins as a setting and is none of the known ones. */
export function describeUnknownNames(values: Values, known: readonly string[]): string[] {
  return Object.keys(values)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .map((name) => {
      const nearest = closestMatch(name, known, { maxDistance: MAX_DISTANCE });
      const cure = nearest === undefined ? "see parley --help" : `did you mean ${nearest}?`;
      return `${name} is not a setting: ${cure}`;
    });
}

/** A sentence for a fault of a value: its name, the value unless that is a secret, and what would be right. */
export function describeIssue(issue: z.core.$ZodIssue, values: Values): string {
  const name = String(issue.path[0]);
  const value = values[name];
  if (value === undefined) return `${name} is not set: ${withoutUser(issue.message)}`;
  const shown = SECRETS.test(name) ? "is not valid" : `is ${JSON.stringify(shorten(value))}`;
  return `${name} ${shown}: ${withoutUser(issue.message)}`;
}

/** What would be right, for faults whose schema does not say it. */
export function describeRight(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return describeType(issue.expected);
    case "too_small":
      return `it must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `it must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    case "invalid_value":
      return `it must be one of ${issue.values.join(", ")}`;
    default:
      return "it is malformed: see parley --help";
  }
}

/** Joins the faults into one message. */
export function badConfiguration(faults: readonly string[]): BadConfiguration {
  const [first = "", ...others] = faults;
  if (others.length === 0) return new BadConfiguration(first);
  return new BadConfiguration(["Invalid configuration:", ...faults].join("\n  "));
}

function describeType(expected: string): string {
  if (expected === "string") return "it is required";
  return expected === "int" ? "it must be a whole number" : "it must be a number";
}

const unitOf = (origin: string): string => (origin === "string" ? " characters long" : "");

function shorten(value: string): string {
  const text = withoutUser(value);
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}

/** A URL may have a password before its host. */
const withoutUser = (text: string): string => text.replaceAll(/[^/\s,"]*@/g, "…@");
