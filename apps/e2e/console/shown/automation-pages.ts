import type { Key, ShownPage } from "./shown-page.ts";

const builders: readonly Key[] = ["admin", "builder"];

/** The pages about what the workspace starts and tells by itself. */
export const automationPages: readonly ShownPage[] = [
  {
    route: "/alerts",
    name: "alerts",
    pathOf: () => "/alerts",
    keys: builders,
    alt: "A table of incidents, above the rules of the alerts with their states",
  },
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
    route: "/triggers",
    name: "triggers",
    pathOf: () => "/triggers",
    keys: builders,
    alt: "A table of triggers with their sources, their states and their last events",
  },
  {
    route: "/triggers/$triggerId",
    name: "trigger",
    pathOf: ({ triggerId }) => `/triggers/${triggerId}`,
    keys: builders,
    alt: "A trigger with its URL and what it starts, above a table of the events that it received",
  },
  {
    route: "/webhooks",
    name: "webhooks",
    pathOf: () => "/webhooks",
    keys: builders,
    alt: "A table of webhooks with their states and the events that they are told of",
  },
  {
    route: "/trace-destinations",
    name: "trace-destinations",
    pathOf: () => "/trace-destinations",
    keys: ["admin"],
    alt: "A table of trace destinations with their states and how many spans they were sent",
  },
  {
    route: "/webhooks/$webhookId",
    name: "webhook",
    pathOf: ({ webhookId }) => `/webhooks/${webhookId}`,
    keys: builders,
    alt: "A webhook with its events, above a table of its deliveries and how they were answered",
  },
];
