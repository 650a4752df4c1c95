import { describe, expect, it } from "vitest";
import { cronOf, slotsAfter } from "../testing/show-slots.ts";

interface Row {
  readonly what: string;
  readonly cron: string;
  readonly zone: string;
  readonly after: string;
  readonly slots: string[];
}

describe("where a clock is set forward", () => {
  it.for<Row>([
    {
      what: "a skipped fixed time fires at the end of the gap, and a later one in it with it",
      cron: "0,30 2 * * *",
      zone: "America/New_York",
      after: "2027-03-13T12:00Z",
      slots: ["2027-03-14T07:00Z", "2027-03-15T06:00Z", "2027-03-15T06:30Z"],
    },
    {
      what: "a skipped fixed time and one at the end of the gap are one slot",
      cron: "30 1,2,3 * * *",
      zone: "America/New_York",
      after: "2027-03-14T06:00Z",
      slots: ["2027-03-14T06:30Z", "2027-03-14T07:00Z", "2027-03-14T07:30Z", "2027-03-15T05:30Z"],
    },
    {
      what: "the fixed time at the end of the gap fires once",
      cron: "0 2,3 * * *",
      zone: "America/New_York",
      after: "2027-03-14T05:00Z",
      slots: ["2027-03-14T07:00Z", "2027-03-15T06:00Z", "2027-03-15T07:00Z"],
    },
    {
      what: "a range of hours with a step is fixed",
      cron: "0 0-23/2 * * *",
      zone: "America/New_York",
      after: "2027-03-14T05:00Z",
      slots: ["2027-03-14T07:00Z", "2027-03-14T08:00Z", "2027-03-14T10:00Z"],
    },
    {
      what: "a skipped time of an interval has no slot",
      cron: "0 */2 * * *",
      zone: "America/New_York",
      after: "2027-03-14T05:00Z",
      slots: ["2027-03-14T08:00Z", "2027-03-14T10:00Z"],
    },
    {
      what: "each quarter of an hour follows elapsed time",
      cron: "*/15 * * * *",
      zone: "America/New_York",
      after: "2027-03-14T06:40Z",
      slots: ["2027-03-14T06:45Z", "2027-03-14T07:00Z", "2027-03-14T07:15Z"],
    },
    {
      what: "half an hour is skipped",
      cron: "15 2 * * *",
      zone: "Australia/Lord_Howe",
      after: "2027-10-02T00:00Z",
      slots: ["2027-10-02T15:30Z", "2027-10-03T15:15Z"],
    },
    {
      what: "midnight is skipped",
      cron: "@daily",
      zone: "America/Santiago",
      after: "2027-09-04T12:00Z",
      slots: ["2027-09-05T04:00Z", "2027-09-06T03:00Z"],
    },
    {
      what: "midnight of a Sunday is skipped",
      cron: "30 0 * * SUN",
      zone: "Asia/Beirut",
      after: "2027-03-27T12:00Z",
      slots: ["2027-03-27T22:00Z", "2027-04-03T21:30Z"],
    },
    {
      what: "midnight was skipped",
      cron: "0 0 15 10 *",
      zone: "America/Sao_Paulo",
      after: "2017-10-01T00:00Z",
      slots: ["2017-10-15T03:00Z", "2018-10-15T03:00Z"],
    },
    {
      what: "the last hour of a Saturday is skipped, so its slot is on Sunday",
      cron: "30 23 * * SAT",
      zone: "America/Nuuk",
      after: "2027-03-27T12:00Z",
      slots: ["2027-03-28T01:00Z", "2027-04-04T00:30Z"],
    },
    {
      what: "a day is skipped, and its fixed time fires when the next begins",
      cron: "0 9 * * *",
      zone: "Pacific/Apia",
      after: "2011-12-29T00:00Z",
      slots: ["2011-12-29T19:00Z", "2011-12-30T10:00Z", "2011-12-30T19:00Z"],
    },
    {
      what: "a day is skipped, and its interval has no slot",
      cron: "0 */12 30 12 *",
      zone: "Pacific/Apia",
      after: "2011-12-29T00:00Z",
      slots: ["2012-12-29T10:00Z", "2012-12-29T22:00Z"],
    },
  ])("$what: $cron in $zone", ({ cron, zone, after, slots }) => {
    expect(slotsAfter(cronOf(cron, zone), after, slots.length)).toEqual(slots);
  });
});

describe("where a clock is set back", () => {
  it.for<Row>([
    {
      what: "a repeated fixed time fires the first time",
      cron: "30 1 * * *",
      zone: "America/New_York",
      after: "2027-11-06T12:00Z",
      slots: ["2027-11-07T05:30Z", "2027-11-08T06:30Z"],
    },
    {
      what: "nothing fixed fires in the second pass",
      cron: "15,45 1 * * *",
      zone: "America/New_York",
      after: "2027-11-07T06:00Z",
      slots: ["2027-11-08T06:15Z"],
    },
    {
      what: "a fixed time at the end of both passes fires after the second",
      cron: "0 1,2 * * *",
      zone: "America/New_York",
      after: "2027-11-06T12:00Z",
      slots: ["2027-11-07T05:00Z", "2027-11-07T07:00Z", "2027-11-08T06:00Z"],
    },
    {
      what: "each hour fires in both passes",
      cron: "0 * * * *",
      zone: "America/New_York",
      after: "2027-11-07T04:30Z",
      slots: ["2027-11-07T05:00Z", "2027-11-07T06:00Z", "2027-11-07T07:00Z"],
    },
    {
      what: "each quarter of one hour fires in both passes",
      cron: "*/30 1 * * *",
      zone: "Europe/London",
      after: "2027-10-30T12:00Z",
      slots: ["2027-10-31T00:00Z", "2027-10-31T00:30Z", "2027-10-31T01:00Z", "2027-10-31T01:30Z"],
    },
    {
      what: "half an hour is repeated",
      cron: "*/15 * * * *",
      zone: "Australia/Lord_Howe",
      after: "2027-04-03T14:40Z",
      slots: ["2027-04-03T14:45Z", "2027-04-03T15:00Z", "2027-04-03T15:15Z", "2027-04-03T15:30Z"],
    },
    {
      what: "half an hour is repeated, and a fixed time is not",
      cron: "45 1 * * *",
      zone: "Australia/Lord_Howe",
      after: "2027-04-03T12:00Z",
      slots: ["2027-04-03T14:45Z", "2027-04-04T15:15Z"],
    },
    {
      what: "the hour before midnight is repeated, and midnight comes once",
      cron: "30 23 * * SAT",
      zone: "America/Santiago",
      after: "2027-04-03T12:00Z",
      slots: ["2027-04-04T02:30Z", "2027-04-11T03:30Z"],
    },
    {
      what: "midnight is repeated",
      cron: "@daily",
      zone: "America/Havana",
      after: "2027-11-06T12:00Z",
      slots: ["2027-11-07T04:00Z", "2027-11-08T05:00Z"],
    },
    {
      what: "two hours are repeated",
      cron: "30 1,2 * * *",
      zone: "Antarctica/Troll",
      after: "2027-10-30T12:00Z",
      slots: ["2027-10-30T23:30Z", "2027-10-31T00:30Z", "2027-11-01T01:30Z"],
    },
  ])("$what: $cron in $zone", ({ cron, zone, after, slots }) => {
    expect(slotsAfter(cronOf(cron, zone), after, slots.length)).toEqual(slots);
  });
});

describe("on other days", () => {
  it.for<Row>([
    {
      what: "either day is enough",
      cron: "0 0 13 * FRI",
      zone: "UTC",
      after: "2027-08-07T00:00Z",
      slots: ["2027-08-13T00:00Z", "2027-08-20T00:00Z", "2027-08-27T00:00Z", "2027-09-03T00:00Z"],
    },
    {
      what: "months without the day are left out",
      cron: "0 0 31 * *",
      zone: "UTC",
      after: "2027-01-31T00:00Z",
      slots: ["2027-03-31T00:00Z", "2027-05-31T00:00Z", "2027-07-31T00:00Z"],
    },
    {
      what: "a century without a leap day is waited for",
      cron: "0 0 29 2 *",
      zone: "UTC",
      after: "2096-02-29T00:00Z",
      slots: ["2104-02-29T00:00Z"],
    },
    {
      what: "the offset was of seconds",
      cron: "0 12 * * *",
      zone: "Africa/Monrovia",
      after: "1971-01-01T00:00Z",
      slots: ["1971-01-01T12:44:30.000Z"],
    },
  ])("$what: $cron in $zone", ({ cron, zone, after, slots }) => {
    expect(slotsAfter(cronOf(cron, zone), after, slots.length)).toEqual(slots);
  });
});
