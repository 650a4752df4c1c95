import { CommandError } from "@parley/command/command-error";
import { CreateSchedule, forUpdate, type Schedule } from "@parley/schema";
import * as z from "zod";
import { Duration, secondsOf } from "../terminal/duration.ts";

const { name, description, overlap, missed, isPaused } = CreateSchedule.shape;

const text = (about: string) => z.string().max(1024).optional().describe(about);
const version = (of: string) => z.int().min(0).optional().describe(of);

/** What is started, an agent or a function; empty texts stand for none. */
const launched = {
  agent: text("Agent that answers"),
  message: z.string().optional().describe("Text of the message that the agent answers"),
  agentVersion: version("Version of the agent; naming an agent without one follows its changes"),
  conversation: text(
    'Id of the conversation that goes on; by default, or if it is "", each time begins one',
  ),
  title: text("Title of a new conversation"),
  space: text("Space of a new conversation"),
  email: text("e-mail address of the member whose conversation it is, and who approves calls"),
  function: text("Function that is invoked"),
  input: z.unknown().optional().describe("Input of the function"),
  functionVersion: version(
    "Version of the function; naming a function without one follows its changes",
  ),
};

const when = {
  cron: text(
    "When it fires: minute, hour, day of month, month and day of week, or @hourly, @daily, @weekly, @monthly, @yearly",
  ),
  every: Duration.optional().describe(
    "In place of cron, the time between two firings, such as 90s, 15m, 1h or 1d",
  ),
  timezone: text("IANA time zone of the cron expression; UTC by default"),
};

const jitter = Duration.optional().describe("How late each firing starts at most, such as 30s");

/** What a schedule is, as files have it. */
export const ScheduleMembers = z.object({
  name,
  description,
  ...launched,
  ...when,
  overlap,
  missed,
  jitter,
  isPaused,
});

const key = text("Key that it acts for; by default the one that calls");

/** What `create` takes. */
export const NewSchedule = ScheduleMembers.extend({ key });

/** What `update` takes. Pausing has commands of its own. */
export const ChangedSchedule = z
  .object(forUpdate(ScheduleMembers.omit({ isPaused: true }).shape))
  .partial()
  .extend({ key: key.describe("Key that it acts for from now on") });

/** The names of the members that say what is started. */
export const launchedMembers: readonly string[] = Object.keys(launched);

type Members = z.input<typeof NewSchedule>;
type Given = { readonly [M in keyof Members]?: Members[M] | undefined };

const agentMembers = {
  agent: "agentId",
  agentVersion: "agentVersion",
  message: "message",
  conversation: "conversationId",
  title: "title",
  space: "spaceId",
  email: "email",
} as const;
const functionMembers = {
  function: "functionId",
  functionVersion: "functionVersion",
  input: "input",
} as const;

/** The members of the wire that are given; empty texts stand for null. */
function membersIn(names: Readonly<Record<string, string>>, given: Given): Record<string, unknown> {
  const values: Readonly<Record<string, unknown>> = given;
  const named = Object.entries(names).filter(([member]) => values[member] !== undefined);
  return Object.fromEntries(
    named.map(([member, wire]) => [wire, values[member] === "" ? null : values[member]]),
  );
}

type Launch = Pick<Schedule, "agent" | "function">;

/** What is started: what is given, over what a schedule starts already. Throws `CommandError` for two things. */
export function launchOf(given: Given, before?: Launch): Partial<Record<keyof Launch, object>> {
  const agent = membersIn(agentMembers, given);
  const invoked = membersIn(functionMembers, given);
  const isAgent = Object.keys(agent).length > 0;
  if (isAgent && Object.keys(invoked).length > 0) {
    const names = Object.keys(given.agent === undefined ? agentMembers : functionMembers);
    const other = names.find((member) => (given as Record<string, unknown>)[member] !== undefined);
    throw new CommandError(`A schedule starts an agent or a function: leave out ${other}`);
  }
  if (isAgent) {
    const isOther = given.agent !== undefined;
    return { agent: { ...before?.agent, ...(isOther && { agentVersion: null }), ...agent } };
  }
  if (Object.keys(invoked).length === 0) return {};
  const isOther = given.function !== undefined;
  return {
    function: { ...before?.function, ...(isOther && { functionVersion: null }), ...invoked },
  };
}

/** A request of the server for what is given, over what a schedule starts already. Throws `CommandError`. */
export function requestOf(given: Given, before?: Launch): Readonly<Record<string, unknown>> {
  const named = new Set<string>([...Object.keys(agentMembers), ...Object.keys(functionMembers)]);
  const { every, jitter: late, key: keyId, ...others } = given;
  const settings = Object.entries(others).filter(([member]) => !named.has(member));
  return {
    ...Object.fromEntries(settings),
    ...(every !== undefined && { everySeconds: secondsOf(every) }),
    ...(late !== undefined && { jitterSeconds: secondsOf(late) }),
    ...(keyId !== undefined && { keyId }),
    ...launchOf(given, before),
  };
}
