import type { Input } from "parley-client";
import { parseJson } from "../ui/parse-json.ts";
import type { Schedule } from "./states.ts";

type Created = Input<"schedules.create">;

/** When a schedule fires, as a form says it. */
export type Times = Pick<Schedule, "cron" | "everySeconds" | "timezone">;

/** What a form says of a schedule, without its workspace. Throws `SyntaxError` for an input that is not JSON. */
export function settingsIn(form: FormData): Omit<Created, "wId"> & { readonly timezone: string } {
  const textIn = (name: string) => String(form.get(name) ?? "").trim();
  const given = (name: string) => textIn(name) || undefined;
  const version = given("version") === undefined ? null : Number(textIn("version"));
  const launch =
    textIn("starts") === "agent"
      ? {
          agent: {
            agentId: textIn("agentId"),
            agentVersion: version,
            message: String(form.get("message")),
            conversationId: given("conversationId") ?? null,
            title: given("title"),
            spaceId: given("spaceId"),
            email: given("email"),
          },
        }
      : {
          function: {
            functionId: textIn("functionId"),
            functionVersion: version,
            input: inputIn(textIn("input")),
          },
        };
  return {
    name: textIn("name"),
    description: textIn("description"),
    ...launch,
    ...timesIn(form),
    // The options are those of the tables.
    overlap: textIn("overlap") as Schedule["overlap"],
    missed: textIn("missed") as Schedule["missed"],
    jitterSeconds: Number(textIn("jitterSeconds")),
    keyId: given("keyId"),
  };
}

type SentInput = NonNullable<Created["function"]>["input"];

function inputIn(text: string): SentInput {
  if (text === "") return null;
  try {
    // JSON is what the server takes.
    return parseJson(text) as SentInput;
  } catch (cause) {
    throw new SyntaxError(`Input: ${(cause as Error).message}`, { cause });
  }
}

/** The times in a form: of an expression, or of an interval. */
export function timesIn(form: FormData): Times {
  const textIn = (name: string) => String(form.get(name) ?? "").trim();
  const isCron = textIn("when") === "cron";
  return {
    cron: isCron ? textIn("cron") : null,
    everySeconds: isCron ? null : Number(textIn("count")) * Number(textIn("unit")),
    timezone: textIn("timezone") || "UTC",
  };
}
