/** Labels for the availability of a skill. */
export const availabilities = {
  editors: "Editors only",
  workspace_users: "Everyone, and agents that have it",
  users_and_agents: "Everyone and all agents",
} as const;

export type Availability = keyof typeof availabilities;

/** A value of a select as an availability, if it is one. */
export function availabilityOf(value: string): Availability | undefined {
  return value in availabilities ? (value as Availability) : undefined;
}
