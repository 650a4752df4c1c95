import { oneLine } from "@parley/command/print";

/** How bad a finding is. */
export type Level = "ok" | "warn" | "fail";

/** What a check has found of one thing; what is not `ok` has a cure. */
export interface Finding {
  readonly level: Level;
  /** The thing, as in `data directory`. */
  readonly what: string;
  readonly finding: string;
  readonly cure?: string;
}

/** All is well with it. */
export const ok = (what: string, finding: string): Finding => ({ level: "ok", what, finding });

/** It works, and will not for long or not as well as it might. */
export const warn = (what: string, finding: string, cure: string): Finding => ({
  level: "warn",
  what,
  finding,
  cure,
});

/** It does not work. */
export const fail = (what: string, finding: string, cure: string): Finding => ({
  level: "fail",
  what,
  finding,
  cure,
});

/** What commands say last: after a colon, or in brackets. */
const CURE = /^(.+?)(?:: ((?:(?!: ).)+)| \(([^()]+)\))$/;
const REQUEST = / \[request [^\]]*\]$/;

/**
 * Makes a failure of a sentence as commands fail with, which ends with its cure. Sentences without one have the
 * given cure.
 */
export function failBy(what: string, sentence: string, otherwise: string): Finding {
  const line = oneLine(sentence);
  const [request = ""] = REQUEST.exec(line) ?? [];
  const [, finding = "", after, inside] = CURE.exec(line.replace(REQUEST, "")) ?? [];
  const cure = after ?? inside;
  return cure === undefined ? fail(what, line, otherwise) : fail(what, finding + request, cure);
}
