import { type Demo, readDemoFile } from "@parley/command/demo-file";
import {
  type Core,
  hashSecret,
  insertSandboxFunctions,
  inTransaction,
  insertWorkspace,
  recordCommand,
  type WorkspaceRow,
} from "@parley/core";
import { agents, apiKeys, type Queryable, sandboxFunctions, spaces, workspaces } from "@parley/db";
import { and, asc, eq, isNull, type SQL } from "drizzle-orm";
import type { Settings } from "../config.ts";
import { demoAgents, demoFunctions } from "./demo-data.ts";
import { insertDemoSkills } from "./demo-skills.ts";
import { ensureKey, ensureOperatorKey } from "../keys/keys.ts";
import { lockStartMemory, type StartMemory, writeStartMemory } from "../keys/start-memory.ts";

const DEMO_NAME = "Demo";

/** Keys of the demo: the setting of each, and its member of the demo file. */
const demoKeys = {
  admin: { name: "demo admin", setting: "PARLEY_ADMIN_KEY", member: "adminKey" },
  user: { name: "demo user", setting: "PARLEY_USER_KEY", member: "userKey" },
  operator: { name: "operator", setting: "PARLEY_OPERATOR_KEY", member: "operatorKey" },
} as const;

interface Start {
  readonly core: Core;
  readonly db: Queryable;
  readonly settings: Settings;
  readonly memory: StartMemory;
  /** The demo file of the last start. */
  readonly before: Partial<Demo>;
}

/**
 * Creates the demo workspace unless an earlier start has, with the keys that are set or were used before.
 * It changes only the workspace and the keys that it knows by their ids. Undefined if the workspace was
 * deleted, which it leaves so.
 */
export async function ensureDemo(core: Core, settings: Settings): Promise<Demo | undefined> {
  const before = await readDemoFile(settings.PARLEY_DATA_DIR);
  return inTransaction(core, async ({ db }) => {
    const memory = await lockStartMemory(db);
    const start = { core, db, settings, memory, before };
    const found = await findDemo(start);
    if (found === undefined && memory.demoWorkspaceId !== undefined) return undefined;
    const workspace = found ?? (await createDemo(core, db));
    memory.demoWorkspaceId = workspace.sid;
    const workspaceId = workspace.id;
    const admin = await ensureDemoKey(start, "admin", workspace);
    const user = await ensureDemoKey(start, "user", workspace);
    const operator = await ensureDemoKey(start, "operator", undefined);
    const { PARLEY_OPERATOR_KEY: secret } = settings;
    if (secret !== undefined) await ensureOperatorKey(core, db, { secret, memory });
    await writeStartMemory(db, memory);
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
      operatorKey: operator.secret,
      spaceId: space.sid,
      agents: demoAgents.map(({ slug }) => ({ sId: slug, slug })),
      functions,
    };
  });
}

/**
 * The demo workspace of earlier starts: the stored one or, in a database of an older version, the one of
 * the demo file, if the file's admin key belongs to it.
 */
async function findDemo({ db, memory, before }: Start): Promise<WorkspaceRow | undefined> {
  const sid = memory.demoWorkspaceId ?? before.workspaceId;
  if (sid === undefined) return undefined;
  const [row] = await db
    .select()
    .from(workspaces)
    .where(and(eq(workspaces.sid, sid), isNull(workspaces.deletedAt)));
  if (row === undefined || memory.demoWorkspaceId !== undefined) return row;
  const ofWorkspace = and(eq(apiKeys.workspaceId, row.id), eq(apiKeys.role, "admin"));
  const key = await findKey(db, before.adminKey, ofWorkspace);
  return key === undefined ? undefined : row;
}

async function findKey(
  db: Queryable,
  secret: string | undefined,
  condition?: SQL,
): Promise<{ sid: string } | undefined> {
  if (secret === undefined) return undefined;
  const ofSecret = eq(apiKeys.hash, hashSecret(secret));
  const [row] = await db.select({ sid: apiKeys.sid }).from(apiKeys).where(and(ofSecret, condition));
  return row;
}

/**
 * Ensures a key of the demo, and remembers it if it is new. Servers that share a database leave each other's keys
 * alone.
 */
async function ensureDemoKey(
  { core, db, settings, memory, before }: Start,
  role: keyof typeof demoKeys,
  workspace: WorkspaceRow | undefined,
): Promise<{ secret: string; userId: number }> {
  const { name, setting, member } = demoKeys[role];
  const stored = memory.keyIds[`demo ${role}`] ?? [];
  const inFile = (await findKey(db, before[member]))?.sid;
  // No other server can use an embedded database.
  const isAlone = settings.DATABASE_URL === undefined;
  const replaces = isAlone ? stored : stored.filter((sid) => sid === inFile);
  const secret = settings[setting] ?? before[member];
  const wanted = { workspace, name, role, setting, secret, replaces, memory };
  const key = await ensureKey(core, db, wanted);
  if (key.isNew) memory.keyIds[`demo ${role}`] = [...stored, key.sid];
  return key;
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
    demoFunctions.map(({ slug, description, program, inputSchema }) => ({
      sid: core.newId("sfn"),
      workspaceId,
      slug,
      description,
      program,
      inputSchema,
      retryable: false,
      createdAt,
    })),
  );
}
