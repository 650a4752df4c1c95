import {
  type Core,
  insertSandboxFunctions,
  inTransaction,
  insertWorkspace,
  recordCommand,
  type WorkspaceRow,
} from "@parley/core";
import { agents, type Queryable, sandboxFunctions, spaces, workspaces } from "@parley/db";
import { asc, eq } from "drizzle-orm";
import type { Settings } from "./config.ts";
import { demoAgents, demoFunctions } from "./demo-data.ts";
import { insertDemoSkills } from "./demo-skills.ts";
import { type Demo, readDemoFile } from "./demo-file.ts";
import { ensureKey } from "./keys.ts";

const DEMO_NAME = "Demo";

/** Makes the demo workspace unless it is there, with the keys that are set or were used before. */
export async function ensureDemo(core: Core, settings: Settings): Promise<Demo> {
  const before = await readDemoFile(settings.PARLEY_DATA_DIR);
  return inTransaction(core, async ({ db }) => {
    const found = await findDemo(db);
    const workspace = found ?? (await createDemo(core, db));
    const workspaceId = workspace.id;
    const key = (name: string, role: "admin" | "user", secret: string | undefined) =>
      ensureKey(core, db, { workspace, name: `demo ${name}`, role, secret });
    const admin = await key("admin", "admin", settings.PARLEY_ADMIN_KEY ?? before.adminKey);
    const user = await key("user", "user", settings.PARLEY_USER_KEY ?? before.userKey);
    const operatorKey = await ensureKey(core, db, {
      workspace: undefined,
      name: "operator",
      role: "operator",
      secret: settings.PARLEY_OPERATOR_KEY ?? before.operatorKey,
    });
    const [space] = await db
      .select()
      .from(spaces)
      .where(eq(spaces.workspaceId, workspaceId))
      .orderBy(asc(spaces.id))
      .limit(1);
    if (space === undefined) throw new Error("The demo workspace has no space");
    if (found === undefined) {
      await insertDemoRows(core, db, workspaceId);
      await insertDemoSkills(core, db, { workspaceId, spaceId: space.id, userId: admin.userId });
    }
    const functions = await db
      .select({ sId: sandboxFunctions.sid, slug: sandboxFunctions.slug })
      .from(sandboxFunctions)
      .where(eq(sandboxFunctions.workspaceId, workspaceId))
      .orderBy(asc(sandboxFunctions.id));
    return {
      workspaceId: workspace.sid,
      adminKey: admin.secret,
      userKey: user.secret,
      operatorKey: operatorKey.secret,
      spaceId: space.sid,
      agents: demoAgents.map(({ slug }) => ({ sId: slug, slug })),
      functions,
    };
  });
}

async function findDemo(db: Queryable): Promise<WorkspaceRow | undefined> {
  const [row] = await db
    .select()
    .from(workspaces)
    .where(eq(workspaces.name, DEMO_NAME))
    .orderBy(asc(workspaces.id))
    .limit(1);
  return row;
}

async function createDemo(core: Core, db: Queryable): Promise<WorkspaceRow> {
  const { workspace } = await insertWorkspace(core, db, DEMO_NAME);
  const { sid } = workspace;
  await recordCommand(core, db, { action: "workspaces.create", workspaceId: sid, subjectId: sid });
  return workspace;
}

async function insertDemoRows(core: Core, db: Queryable, workspaceId: number): Promise<void> {
  const createdAt = core.now();
  await db.insert(agents).values(
    demoAgents.map(({ slug, description, script }) => ({
      sid: slug,
      workspaceId,
      version: 0,
      isCurrent: true,
      name: slug,
      description,
      instructions: null,
      pictureUrl: "",
      status: "active",
      scope: "global",
      providerId: "simulated",
      modelId: "simulated-1",
      temperature: 0.7,
      maxStepsPerRun: 8,
      script,
      createdAt,
    })),
  );
  await insertSandboxFunctions(
    db,
    demoFunctions.map(({ slug, description, behaviour }) => ({
      sid: core.newId("sfn"),
      workspaceId,
      slug,
      description,
      behaviour,
      retryable: false,
      createdAt,
    })),
  );
}
