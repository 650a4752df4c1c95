import type { Doable } from "../administration/doable.ts";
import { nobody } from "./wrong-members.ts";

const types = {
  api_key: "api_key_not_found",
  agent: "agent_not_found",
  user: "member_not_found",
  conversation: "conversation_not_found",
};

/** For each scope of a budget, what creates one for a subject that is not there. */
export const missingSubjects = (
  create: (input: object) => Promise<string>,
  right: () => Promise<Doable>,
): Record<string, () => Promise<string>> =>
  Object.fromEntries(
    Object.entries(types).map(([scope, type]) => [
      `budgets.create ${type}`,
      async () => create({ ...(await right()).input, scope, subjectId: nobody }),
    ]),
  );
