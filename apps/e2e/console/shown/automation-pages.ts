import type { Key, ShownPage } from "./shown-page.ts";

const builders: readonly Key[] = ["admin", "builder"];
const admins: readonly Key[] = ["admin"];

/** The pages about what the workspace starts and tells by itself. */
export const automationPages: readonly ShownPage[] = [
  {
    route: "/schedules",
    name: "schedules",
    pathOf: () => "/schedules",
    keys: builders,
    alt: "A table of schedules with their states, and when each fired last and fires next",
  },
  {
    route: "/schedules/$scheduleId",
    name: "schedule",
    pathOf: ({ scheduleId }) => `/schedules/${scheduleId}`,
    keys: builders,
    alt: "A schedule with what it starts and when, above a table of its firings",
  },
  {
    route: "/webhooks",
    name: "webhooks",
    pathOf: () => "/webhooks",
    keys: admins,
    alt: "A table of webhooks with their states and the events that they are told of",
  },
  {
    route: "/webhooks/$webhookId",
    name: "webhook",
    pathOf: ({ webhookId }) => `/webhooks/${webhookId}`,
    keys: admins,
    alt: "A webhook with its events, above a table of its deliveries and how they were answered",
  },
];
