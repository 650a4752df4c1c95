import type { WorkspaceRole } from "@parley/schema";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { CoreContext } from "../src/create-core.ts";
import type { WorkspaceRow } from "../src/data-access/rows.ts";
import { openTestOperator, type TestOperator } from "./operator.ts";
import {
  clearRuns,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
  type TestParts,
} from "./testing.ts";

/** The core of a suite, for its hooks and tests. */
export interface CoreTest extends Omit<TestCore, "close"> {
  readonly operator: TestOperator;
}

/** The core of a suite, and a workspace with the context of one of its keys. */
export interface WorkspaceTest extends CoreTest {
  readonly workspace: WorkspaceRow;
  readonly workspaceId: string;
  readonly context: CoreContext;
}

interface WorkspaceOptions {
  /** They replace parts of the core. */
  parts?: TestParts;
  /** Whether each test has a new workspace, or all tests of the suite have the same. */
  per?: "test" | "suite";
  /** The role of the context. */
  role?: WorkspaceRole;
  /** The ids of the agents in the workspace. */
  agents?: readonly string[];
  /** Whether the conversations and runs of earlier tests stay. */
  keepRuns?: boolean;
}

/** Opens a core before the tests of a suite and closes it after them, where a leak throws. */
export function coreTest(parts?: TestParts): CoreTest {
  const test = {} as CoreTest;
  let close: TestCore["close"];
  beforeAll(async () => {
    const opened = await openTestCore(parts);
    ({ close } = opened);
    const { core, clock } = opened;
    Object.assign(test, { core, clock, operator: openTestOperator(core) });
  });
  afterAll(() => close());
  return test;
}

/** Does what `coreTest` does, and inserts a workspace. */
export function workspaceTest(options: WorkspaceOptions = {}): WorkspaceTest {
  const { parts, per = "test", role, agents = [], keepRuns = false } = options;
  const test = coreTest(parts) as WorkspaceTest;
  const insertWorkspace = async () => {
    const workspace = await insertTestWorkspace(test.core);
    const context = await openTestContext(test.core, workspace, role);
    for (const sid of agents) await insertTestAgent(test.core, workspace, { sid });
    Object.assign(test, { workspace, workspaceId: workspace.sid, context });
  };
  if (!keepRuns) beforeEach(() => clearRuns(test.core));
  if (per === "test") beforeEach(insertWorkspace);
  else beforeAll(insertWorkspace);
  return test;
}
