import { agentFunctions, agentSkills, skills } from "@parley/db";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import {
  createTestConversation,
  insertTestAgent,
  insertTestFunction,
} from "../../testing/testing.ts";
import type { AgentRow } from "../data-access/rows.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { handBackRuns } from "../runs/leases.ts";
import type { LocalWorker } from "../runs/local-workers.ts";
import { claimTurns } from "../turns/claim-turns.ts";
import { loadTurn } from "../turns/load-turns.ts";

const workerId = "held";
const leaseMs = 60_000;

describe("turns that are held from the creation of their conversation", () => {
  const test = workspaceTest({ per: "suite", keepRuns: true });
  const agents: AgentRow[] = [];
  beforeAll(async () => {
    const { db } = test.core.database;
    const skillsOfAll = await db
      .insert(skills)
      .values(
        (["workspace_users", "users_and_agents"] as const).map((availability) => ({
          sid: test.core.newId("skl"),
          workspaceId: test.workspace.id,
          name: availability,
          status: "active" as const,
          availability,
          agentFacingDescription: `About ${availability}`,
          userFacingDescription: "",
          reinforcement: "off" as const,
          createdAt: 0,
          updatedAt: 0,
        })),
      )
      .returning();
    const add = await insertTestFunction(test.core, test.workspace, { slug: "add", result: "1" });
    const small = { providerId: "noop", modelId: "noop" };
    agents.push(await insertTestAgent(test.core, test.workspace, { sid: "ann" }));
    agents.push(await insertTestAgent(test.core, test.workspace, { sid: "bob", ...small }));
    for (const [position, { id: skillId }] of skillsOfAll.entries()) {
      await db.insert(agentSkills).values({ agentId: agents[0]!.id, skillId, position });
    }
    await db
      .insert(agentFunctions)
      .values({ agentId: agents[1]!.id, functionId: add.id, position: 0 });
  });

  it("begin with what a claim would have given them", async () => {
    const held: ClaimedRun[] = [];
    const worker: LocalWorker = {
      takePlaces: () => ({ workerId, leaseMs, perWorkspace: 10 }),
      start: (_runs, written) => void held.push(...written),
      giveUp: () => {},
    };
    const unregister = test.core.localWorkers.register(worker);
    // The second agent's model takes one of the texts, and the message in any case.
    const texts = ["a", "é".repeat(30_000), "b".repeat(40_000)];
    const contentFragments = texts.map((content, index) => ({
      title: `Text ${index}`,
      content,
      contentType: "text/plain" as const,
    }));
    await createTestConversation(test.context, ["ann", "bob"], { contentFragments });
    unregister();
    expect(held).toHaveLength(2);
    await handBackRuns(test.core, {
      workerId,
      logIds: held.map(({ logId }) => logId),
      begun: false,
    });
    const options = { workerId, leaseMs, limit: 10, after: 0, held: new Map(), perWorkspace: 10 };
    const { runs: claimed } = await claimTurns(test.core, options);
    expect(held.map((run) => ({ ...run, subject: null }))).toEqual(
      claimed.map((run) => ({ ...run, attempt: 1, subject: null })),
    );
    // Large ones are loaded by their turns.
    const turnsOf = (runs: readonly ClaimedRun[]) => {
      return Promise.all(runs.map((run) => loadTurn(test.core, { ...run, attempt: 1 })));
    };
    const [first, second] = await turnsOf(claimed);
    const ofHeld = await turnsOf(held);
    // A turn does not look at the rest of the conversation's row.
    expect(ofHeld).toEqual(
      [first!, second!].map((turn) => ({
        ...turn,
        conversation: expect.objectContaining({ sid: turn.conversation.sid }) as object,
      })),
    );
    for (const [index, turn] of [first!, second!].entries()) {
      expect(turn.conversation).toMatchObject(ofHeld[index]!.conversation);
    }
    expect(first!.skills).toHaveLength(2);
    expect(first!.history).toHaveLength(4);
    expect(second!.history).toHaveLength(2);
    expect(second!.functions).toMatchObject([{ slug: "add" }]);
  });
});
