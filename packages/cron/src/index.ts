export { type Cron, CronFault, parseCron } from "./parse-cron.ts";
export * from "./slots.ts";
