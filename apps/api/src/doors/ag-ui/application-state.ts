import type { RunAgentInput } from "@parley/schema";

type OfApplication = Pick<RunAgentInput, "state" | "forwardedProps">;

/** What of the application's own a run has: clients without any send null, or an empty object. */
export function ofApplication({ state, forwardedProps }: OfApplication): OfApplication {
  return {
    ...(!isEmpty(state) && { state }),
    ...(!isEmpty(forwardedProps) && { forwardedProps }),
  };
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0;
}
