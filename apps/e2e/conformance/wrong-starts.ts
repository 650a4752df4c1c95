import { wrongSchedules } from "./wrong-schedules.ts";
import { wrongTriggers } from "./wrong-triggers.ts";
import { wrongMemories } from "./wrong-memories.ts";
import { wrongParents } from "./wrong-parents.ts";
import { wrongSavedViews } from "./wrong-saved-views.ts";
import { wrongWebhooks } from "./wrong-webhooks.ts";

type Calls = Parameters<typeof wrongSchedules>[0] & Parameters<typeof wrongMemories>[0];
type Given = Parameters<typeof wrongTriggers>[1] & Parameters<typeof wrongSchedules>[1];

/** What is refused of webhooks, saved views, memories, documents, schedules and triggers, by who calls and what is named within a member. */
export const wrongStarts = (calls: Calls, given: Given): Record<string, () => Promise<string>> => ({
  ...wrongSchedules(calls, given),
  ...wrongTriggers(calls, given),
  ...wrongSavedViews(calls, given),
  ...wrongMemories(calls, given),
  ...wrongParents(calls, given),
  ...wrongWebhooks(calls, given),
});
