import database from "tzdata/timezone-data.json" with { type: "json" };
import { describe, expect, it } from "vitest";
import timezones from "./timezones.json" with { type: "json" };
import { RequestedTimezone, Timezone, toListedTimezone } from "./timezones.ts";

/** The IANA database: each zone's rules, or the name that it links to (of the file `backward` too). */
const zones: Readonly<Record<string, unknown>> = database.zones;

describe("Timezone", () => {
  it("takes each of the 592 names", () => {
    expect(new Set(timezones).size).toBe(592);
    expect(timezones.filter((name) => !Timezone.safeParse(name).success)).toEqual([]);
  });

  it.each(["+02:00", "europe/paris", "Europe/paris", "", " UTC", "utc", "Mars/Base", "__proto__"])(
    "refuses %j",
    (name) => {
      expect(Timezone.safeParse(name).success).toBe(false);
      expect(RequestedTimezone.safeParse(name).success).toBe(false);
    },
  );
});

describe("a zone of a request", () => {
  const names = [...new Set([...timezones, ...Object.keys(zones)])];
  const added = names.filter((name) => !timezones.includes(name));

  it("is each name of the IANA database, answered by one that clients can parse", () => {
    // What browsers in Kyiv, Nuuk, Juarez, Coyhaique, Kostanay and on Kanton report.
    expect(added).toEqual(expect.arrayContaining(["Europe/Kyiv", "America/Ciudad_Juarez"]));
    for (const name of names) {
      expect(RequestedTimezone.parse(name), name).toBe(name);
      expect(Timezone.safeParse(toListedTimezone(name)).success, name).toBe(true);
    }
    expect(timezones.map(toListedTimezone)).toEqual(timezones);
  });

  it("is answered by its former name, if the database has it as a link", () => {
    const former = added.flatMap((name) => {
      const links = timezones.filter((link) => zones[link] === name);
      return links.length === 0 ? [] : { name, links };
    });
    expect(former.map(({ name }) => name).toSorted()).toEqual([
      "America/Nuuk",
      "Europe/Kyiv",
      "Pacific/Kanton",
    ]);
    for (const { name, links } of former) expect(links).toContain(toListedTimezone(name));
  });

  it("is answered by a zone with the same clock all year", () => {
    const hourIn = (timeZone: string, time: Date) =>
      new Intl.DateTimeFormat("en", { timeZone, dateStyle: "short", timeStyle: "short" }).format(
        time,
      );
    for (const name of added.filter((one) => one !== "Factory")) {
      for (let month = 0; month < 12; month++) {
        const time = new Date(Date.UTC(2026, month, 15, 12));
        expect(hourIn(name, time), name).toBe(hourIn(toListedTimezone(name), time));
      }
    }
  });
});
