/** How the states of everything are named and coloured: one table for badges, filters and lists of all pages. */

export type Tone = "neutral" | "good" | "bad" | "warn" | "accent";

interface State {
  readonly word: string;
  readonly tone: Tone;
}

const of =
  (tone: Tone) =>
  (word: string): State => ({ word, tone });
const [neutral, good, bad, warn, accent] = [
  of("neutral"),
  of("good"),
  of("bad"),
  of("warn"),
  of("accent"),
];

const states = {
  // Answers, calls, invocations, summaries, deliveries, firings and events.
  unanswered: neutral("Unanswered"),
  planned: neutral("Planned"),
  created: accent("Running"),
  waiting: accent("Queued"),
  running: accent("Running"),
  started: good("Started"),
  // An answer with a call in one of the next four states.
  blocked: warn("Needs attention"),
  blocked_authentication_required: warn("Needs permission"),
  blocked_client_output_required: warn("Needs its application"),
  blocked_user_answer_required: warn("Needs an answer"),
  blocked_validation_required: warn("Needs approval"),
  suspended: warn("Suspended"),
  succeeded: good("Succeeded"),
  // A document, into the parts that agents find.
  divided: good("Divided"),
  // A page of the web.
  read: good("Read"),
  errored: bad("Failed"),
  failed: bad("Failed"),
  denied: warn("Denied"),
  cancelled: neutral("Cancelled"),
  skipped: neutral("Skipped"),
  ignored: neutral("Ignored"),
  tried: neutral("Tried"),
  // What an administrator switches.
  active: good("Active"),
  on: good("On"),
  off: neutral("Off"),
  paused: neutral("Paused"),
  failing: warn("Failing"),
  disabled: warn("Disabled"),
  expired: neutral("Expired"),
  revoked: neutral("Revoked"),
  archived: neutral("Archived"),
  suggested: warn("Suggested"),
} as const satisfies Readonly<Record<string, State>>;

type StateName = keyof typeof states;

/** The word and the tone of a state; one that a newer server knows is shown as it is. */
export function stateOf(name: string): State {
  return Object.hasOwn(states, name) ? states[name as StateName] : neutral(name);
}

/** The word of a state, as a filter or a list has it. */
export const wordOf = (name: StateName): string => states[name].word;
