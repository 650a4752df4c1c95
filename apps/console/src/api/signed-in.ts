/** The sessions of this browser, of which a tab acts with one. Their tokens are in cookies that no script can read. */
import type { SessionOfCaller } from "parley-client";

/** Sessions that the server keeps for a browser at once. */
const PLACES = [1, 2, 3, 4, 5];
const CURRENT = "parley-current-session";
const KNOWN = "parley-sessions";

/** A session of this browser, as it was when it began. */
export interface SignedIn {
  readonly place: number;
  /** Its workspace and its key, for people. */
  readonly workspace: string;
  readonly key: string;
}

/** The session that this tab acts with, as a number from 1; a new tab has that of the last one. */
export const currentPlace: number = readPlace();

function readPlace(): number {
  const stored = sessionStorage.getItem(CURRENT) ?? localStorage.getItem(CURRENT);
  const place = PLACES.find((one) => String(one) === stored) ?? 1;
  sessionStorage.setItem(CURRENT, String(place));
  return place;
}

/** All sessions that began in this browser and were not ended in it, by their number. */
export function signedIn(): readonly SignedIn[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KNOWN) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isSignedIn) : [];
  } catch {
    return [];
  }
}

function isSignedIn(value: unknown): value is SignedIn {
  if (typeof value !== "object" || value === null) return false;
  const { place, workspace, key } = value as Partial<Record<keyof SignedIn, unknown>>;
  const isPlace = PLACES.some((one) => one === place);
  return isPlace && typeof workspace === "string" && typeof key === "string";
}

/** Remembers whose session this tab has; undefined forgets it. */
export function rememberSession(session: SessionOfCaller | undefined): void {
  const others = signedIn().filter(({ place }) => place !== currentPlace);
  const own = session && {
    place: currentPlace,
    workspace: session.workspace?.name ?? "All workspaces",
    key: session.userName ?? session.keyName,
  };
  const known = [...others, ...(own ? [own] : [])].toSorted((a, b) => a.place - b.place);
  localStorage.setItem(KNOWN, JSON.stringify(known));
}

/** A number that no session of this browser has; undefined if it has as many as it may. */
export function freePlace(): number | undefined {
  const taken = new Set(signedIn().map(({ place }) => place));
  return PLACES.find((place) => place !== currentPlace && !taken.has(place));
}

/** Lets this tab, and tabs that are opened later, act with another session. Loads the page again: nothing that one session has read is left. */
export function switchTo(place: number, path = "/"): void {
  sessionStorage.setItem(CURRENT, String(place));
  localStorage.setItem(CURRENT, String(place));
  location.assign(path);
}
