import { describe, expect, it } from "vitest";
import { CronFault, parseCron } from "./parse-cron.ts";

const sorted = (values: ReadonlySet<number>) => [...values].toSorted((a, b) => a - b);

describe("an expression", () => {
  it.for<[string, number[]]>([
    ["0 0 * * *", [0]],
    ["5 4 * * *", [245]],
    ["0,30 1-2 * * *", [60, 90, 120, 150]],
    ["30,0 2,1 * * *", [60, 90, 120, 150]],
    ["*/20 23 * * *", [1380, 1400, 1420]],
    ["10-40/15 0 * * *", [10, 25, 40]],
    ["1-2,2-3,7 0 * * *", [1, 2, 3, 7]],
    ["5-5/2 0 * * *", [5]],
    ["59 0-23/12 * * *", [59, 779]],
    ["08 09 * * *", [548]],
  ])("%s has the times of day %j", ([text, times]) => {
    expect(parseCron(text).times).toEqual(times);
  });

  it.for<[string, number[]]>([
    ["* * * * *", [0, 1, 2, 3, 4, 5, 6]],
    ["* * * * 0", [0]],
    ["* * * * 7", [0]],
    ["* * * * 5-7", [0, 5, 6]],
    ["* * * * MON,wed", [1, 3]],
    ["* * * * Fri-Sun", [0, 5, 6]],
    ["* * * * SUN-TUE", [0, 1, 2]],
    ["* * * * */2", [0, 2, 4, 6]],
    ["* * * * */7", [0]],
    ["* * * * 1-6/2", [1, 3, 5]],
  ])("%s has the days of the week %j", ([text, days]) => {
    expect(sorted(parseCron(text).daysOfWeek)).toEqual(days);
  });

  it.for<[string, number[]]>([
    ["* * * JAN *", [1]],
    ["* * * oct-DEC *", [10, 11, 12]],
    ["* * * */3 *", [1, 4, 7, 10]],
    ["* * * 2,FEB,mar *", [2, 3]],
  ])("%s has the months %j", ([text, months]) => {
    expect(sorted(parseCron(text).months)).toEqual(months);
  });

  it.for<[string, string]>([
    ["@hourly", "0 * * * *"],
    ["@daily", "0 0 * * *"],
    ["@midnight", "0 0 * * *"],
    ["@weekly", "0 0 * * 0"],
    ["@monthly", "0 0 1 * *"],
    ["@yearly", "0 0 1 1 *"],
    ["@Annually", "0 0 1 1 *"],
    ["  0\t0  * * * ", "0 0 * * *"],
  ])("%j means %j", ([text, same]) => {
    expect(parseCron(text)).toEqual(parseCron(same));
  });

  it.for<[string, boolean]>([
    ["30 2 * * *", true],
    ["0,30 2-4 * * *", true],
    ["0 0-23/2 * * *", true],
    ["@daily", true],
    ["* 2 * * *", false],
    ["*/15 2 * * *", false],
    ["30 * * * *", false],
    ["0 */2 * * *", false],
    ["0 1,*/6 * * *", false],
    ["@hourly", false],
  ])("%s has fixed times: %j", ([text, isFixed]) => {
    expect(parseCron(text).isFixed).toBe(isFixed);
  });

  it.for<[string, boolean]>([
    ["0 0 1 * 1", true],
    ["0 0 */2 * 1", true],
    ["0 0 1 * *", false],
    ["0 0 * * 1", false],
  ])("%s wants either day: %j", ([text, isEitherDay]) => {
    expect(parseCron(text).isEitherDay).toBe(isEitherDay);
  });

  it.for([
    "0 0 29 2 *",
    "0 0 31 * *",
    "0 0 30,31 2,3 *",
    // Mondays come, whatever the month.
    "0 0 30 2 1",
  ])("%s fires", (text) => {
    expect(() => parseCron(text)).not.toThrow();
  });
});

describe("an expression is refused", () => {
  const fields = "(minute, hour, day of month, month, day of week)";
  const onlyNumbers = (first: number, last: number) =>
    `write *, numbers from ${first} to ${last}, lists, ranges and steps`;

  it.for<[string, string]>([
    ["", `has 0 fields instead of five ${fields}`],
    ["* * * *", `has 4 fields instead of five ${fields}`],
    ["0 0 0 * * *", `has 6 fields instead of five ${fields}; seconds and years are not supported`],
    [
      "@reboot",
      '"@reboot" is not supported: write five fields, or one of @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually',
    ],
    ["60 0 * * *", "minute: 60 is not from 0 to 59"],
    ["0 24 * * *", "hour: 24 is not from 0 to 23"],
    ["0 0 0 * *", "day of month: 0 is not from 1 to 31"],
    ["0 0 1-32 * *", "day of month: 32 is not from 1 to 31"],
    ["0 0 * 13 *", "month: 13 is not from 1 to 12"],
    ["0 0 * * 8", "day of week: 8 is not from 0 to 7"],
    ["0 0 L * *", `day of month: "L" is not supported: ${onlyNumbers(1, 31)}`],
    ["0 0 15W * *", `day of month: "15W" is not supported: ${onlyNumbers(1, 31)}`],
    ["0 0 ? * 1", `day of month: "?" is not supported: ${onlyNumbers(1, 31)}`],
    [
      "0 0 * * MON#2",
      'day of week: "MON#2" is not supported: write *, numbers from 0 to 7, names as SUN, lists, ranges and steps',
    ],
    [
      "0 0 * FOO *",
      'month: "FOO" is not supported: write *, numbers from 1 to 12, names as JAN, lists, ranges and steps',
    ],
    ["JAN 0 * * *", `minute: "JAN" is not supported: ${onlyNumbers(0, 59)}`],
    ["-5 0 * * *", `minute: "-5" is not supported: ${onlyNumbers(0, 59)}`],
    ["1.5 0 * * *", `minute: "1.5" is not supported: ${onlyNumbers(0, 59)}`],
    ["*5 0 * * *", `minute: "*5" is not supported: ${onlyNumbers(0, 59)}`],
    ["/5 0 * * *", `minute: "/5" is not supported: ${onlyNumbers(0, 59)}`],
    ["1,,2 0 * * *", "minute: an item of its list is empty"],
    ["1, 0 * * *", "minute: an item of its list is empty"],
    ["1-2-3 0 * * *", 'minute: "1-2-3" is not a range, as in 1-5'],
    ["0 22-2 * * *", 'hour: "22-2": a range ends at or after its start'],
    ["0 0 * * 5-1", 'day of week: "5-1": a range ends at or after its start'],
    ["5/15 0 * * *", 'minute: "5/15": a step follows * or a range'],
    ["*/0 0 * * *", 'minute: "*/0": a step is a number from 1 to 59'],
    ["*/60 0 * * *", 'minute: "*/60": a step is a number from 1 to 59'],
    ["*/ 0 * * *", 'minute: "*/": a step is a number from 1 to 59'],
    ["*/5/5 0 * * *", 'minute: "*/5/5": a step is a number from 1 to 59'],
    ["0 */24 * * *", 'hour: "*/24": a step is a number from 1 to 23'],
    [
      "0 0 30 2 *",
      "day of month: never fires, since 30 comes after the last day, 29, of its months",
    ],
    [
      "0 0 31 4,6,9,11 *",
      "day of month: never fires, since 31 comes after the last day, 30, of its months",
    ],
  ])("%j: %s", ([text, message]) => {
    expect(() => parseCron(text)).toThrow(new CronFault(message));
  });

  it("if it is longer than 200 characters, and not before", () => {
    const minutes = Array.from({ length: 64 }, () => "10").join(",");
    expect(minutes).toHaveLength(191);
    expect(parseCron(`${minutes} 0 * * 1`.padEnd(200)).times).toEqual([10]);
    expect(() => parseCron(`${minutes} 0 * * 1`.padEnd(201))).toThrow(
      new CronFault("has more than 200 characters"),
    );
  });
});
