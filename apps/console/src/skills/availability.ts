/** Who can use a skill, in words. */
export const availabilities = {
  editors: "Its editors alone",
  workspace_users: "Everybody, and agents that have it",
  users_and_agents: "Everybody, and every agent",
} as const;

export type Availability = keyof typeof availabilities;

/** A value of a select as an availability, if it is one. */
export function availabilityOf(value: string): Availability | undefined {
  return value in availabilities ? (value as Availability) : undefined;
}
