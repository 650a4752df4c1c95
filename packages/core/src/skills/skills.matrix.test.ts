import { apiKeySpaces, skillEditors, skills, spaces } from "@parley/db";
import {
  endpoints,
  parseInput,
  SkillAvailability,
  SkillStatus,
  type WorkspaceRole,
} from "@parley/schema";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { listSkills } from "./skills.ts";

const spaceNames = ["open", "sales", "legal"] as const;
type SpaceName = (typeof spaceNames)[number];
const roles = ["user", "builder", "admin"] as const satisfies WorkspaceRole[];

interface ModelSkill {
  readonly name: string;
  readonly status: SkillStatus;
  readonly availability: SkillAvailability;
  readonly requested: readonly SpaceName[];
  readonly manual: readonly SpaceName[];
  /** Keys, by number, whose users are editors. */
  readonly editors: readonly number[];
}

interface ModelKey {
  readonly role: (typeof roles)[number];
  /** Restricted spaces that the key is given. */
  readonly given: readonly SpaceName[];
}

// One key for each role and each set of restricted spaces.
const keys: ModelKey[] = roles.flatMap((role) =>
  [[], ["sales"], ["legal"], ["sales", "legal"]].map((given) => ({
    role,
    given: given as SpaceName[],
  })),
);

const someSpaces = fc.subarray([...spaceNames]);
const skill = fc.record({
  name: fc.constantFrom("Zulu", "alpha", "Alpha", "émile", "Écrire", "zulu", "😀", "\uFF5E"),
  status: fc.constantFrom(...SkillStatus.options),
  availability: fc.constantFrom(...SkillAvailability.options),
  requested: fc.oneof(fc.constant([]), someSpaces),
  manual: fc.oneof(fc.constant([]), someSpaces),
  editors: fc.subarray(
    keys.map((_, index) => index),
    { maxLength: 3 },
  ),
});
const query = fc.record(
  {
    status: fc.constantFrom(...SkillStatus.options),
    availability: fc.subarray([...SkillAvailability.options], { minLength: 1 }),
    bypassEditorVisibility: fc.constantFrom("true", "false", "TRUE", "1", ""),
  },
  { requiredKeys: [] },
);
type Query = typeof query extends fc.Arbitrary<infer Value> ? Value : never;

/** What the listing has to give: names and whether the key may write, in order. */
function predict(all: readonly ModelSkill[], key: ModelKey, at: number, asked: Query) {
  const bypasses = asked.bypassEditorVisibility === "true";
  if (bypasses && key.role !== "admin") return "refused";
  const listed = all.filter((one) => {
    if (one.status !== (asked.status ?? "active")) return false;
    if (asked.availability && !asked.availability.includes(one.availability)) return false;
    if (!bypasses && one.availability === "editors") return false;
    const restricted = [...one.requested, ...one.manual].filter((space) => space !== "open");
    return restricted.every((space) => key.given.includes(space));
  });
  return listed
    .map((one) => {
      const isEditor = one.editors.length === 0 || one.editors.includes(at);
      const canWrite = key.role === "admin" || (key.role === "builder" && isEditor);
      return { name: one.name, availability: one.availability, canRead: true, canWrite };
    })
    .toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
}

describe("the listing of skills", () => {
  const test = coreTest();
  let workspace: WorkspaceRow;
  const contexts: CoreContext[] = [];
  const spaceIds = {} as Record<SpaceName, string>;

  beforeAll(async () => {
    const { db } = test.core.database;
    workspace = await insertTestWorkspace(test.core);
    const ids: Partial<Record<SpaceName, number>> = {};
    for (const name of spaceNames) {
      const [row] = await db
        .insert(spaces)
        .values({
          sid: test.core.newId("vlt"),
          workspaceId: workspace.id,
          name,
          kind: "regular",
          isRestricted: name !== "open",
          createdAt: 0,
          updatedAt: 0,
        })
        .returning();
      spaceIds[name] = row!.sid;
      ids[name] = row!.id;
    }
    for (const { role, given } of keys) {
      const context = await openTestContext(test.core, workspace, role);
      contexts.push(context);
      for (const name of given) {
        const { apiKey } = context.caller;
        await db.insert(apiKeySpaces).values({ apiKeyId: apiKey.id, spaceId: ids[name]! });
      }
    }
  });

  const store = async (all: readonly ModelSkill[]) => {
    const { db } = test.core.database;
    await db.delete(skillEditors);
    await db.delete(skills).where(eq(skills.workspaceId, workspace.id));
    for (const one of all) {
      const [row] = await db
        .insert(skills)
        .values({
          sid: test.core.newId("skl"),
          workspaceId: workspace.id,
          name: one.name,
          status: one.status,
          availability: one.availability,
          agentFacingDescription: "",
          userFacingDescription: "",
          reinforcement: "auto",
          requestedSpaceIds: one.requested.map((name) => spaceIds[name]),
          manuallyRequestedSpaceIds: one.manual.map((name) => spaceIds[name]),
          createdAt: 0,
          updatedAt: 0,
        })
        .returning();
      for (const at of one.editors) {
        const userId = contexts[at]!.caller.user.id;
        await db.insert(skillEditors).values({ skillId: row!.id, userId });
      }
    }
  };

  const list = async (at: number, asked: Query) => {
    const input = parseInput(endpoints["skills.list"], { wId: workspace.sid, ...asked });
    try {
      const listed = await listSkills(contexts[at]!, input);
      return listed.skills.map(({ name, availability, canRead, canWrite }) => ({
        name,
        availability,
        canRead,
        canWrite,
      }));
    } catch (error) {
      expect(error).toMatchObject({ type: "app_auth_error" });
      return "refused";
    }
  };
  const sorted = (listed: Awaited<ReturnType<typeof list>>) =>
    listed === "refused" ? listed : listed.map((one) => JSON.stringify(one)).toSorted();

  it("is what an independent model says, for every key", { timeout: 120_000 }, async () => {
    const property = fc.asyncProperty(
      fc.array(skill, { maxLength: 12 }),
      fc.array(query, { minLength: 1, maxLength: 3 }),
      async (all, queries) => {
        await store(all);
        for (const [at, key] of keys.entries()) {
          for (const asked of queries) {
            const listed = await list(at, asked);
            const predicted = predict(all, key, at, asked);
            // Skills of one name stand in the order of their ids, which the model does not know.
            expect(sorted(listed)).toEqual(sorted(predicted));
            if (listed === "refused" || predicted === "refused") continue;
            expect(listed.map(({ name }) => name)).toEqual(predicted.map(({ name }) => name));
          }
        }
      },
    );
    await fc.assert(property, { numRuns: 15 });
  });
});
