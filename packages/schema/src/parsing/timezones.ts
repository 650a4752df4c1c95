import * as z from "zod";
import timezones from "./timezones.json" with { type: "json" };

/** Names of time zones in responses: clients validate with this list. */
export const timezoneNames: readonly string[] = timezones;

/**
 * Zones of the current IANA database that the list lacks, each with its name in responses: a former
 * name, or a zone with the same clock.
 */
export const timezoneAliases: Readonly<Record<string, string>> = {
  "America/Ciudad_Juarez": "America/Denver",
  "America/Coyhaique": "America/Punta_Arenas",
  "America/Nuuk": "America/Godthab",
  "Asia/Qostanay": "Asia/Almaty",
  "Europe/Kyiv": "Europe/Kiev",
  Factory: "Etc/UTC",
  "Pacific/Kanton": "Pacific/Enderbury",
};

const listed: ReadonlySet<string> = new Set(timezones);

/** A time zone of a request; the runtime's own list has other names, so it is not used. */
export const RequestedTimezone = z
  .string()
  .refine((name) => listed.has(name) || Object.hasOwn(timezoneAliases, name), {
    error: "must be an IANA time zone name",
  })
  .meta({ example: "Europe/London" });

/** A time zone of a response: one of the 592 listed names. */
export const Timezone = z
  .string()
  .refine((name) => listed.has(name), { error: "must be an IANA time zone name" })
  .meta({ example: "Europe/London" });

/** The listed name of a time zone of a request. */
export function toListedTimezone(name: string): string {
  return Object.hasOwn(timezoneAliases, name) ? (timezoneAliases[name] ?? name) : name;
}
