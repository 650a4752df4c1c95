import { apiKeySpaces } from "@parley/db";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import { requireSpace } from "../access/space-reach.ts";
import type { CoreContext } from "../create-core.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { listSpaces } from "./spaces.ts";

describe("spaces", () => {
  const test = coreTest();
  let workspace: WorkspaceRow;
  let workspaceId: string;
  let ann: CoreContext;
  let bob: CoreContext;
  beforeEach(async () => {
    workspace = await insertTestWorkspace(test.core);
    workspaceId = workspace.sid;
    ann = await openTestContext(test.core, workspace);
    bob = await openTestContext(test.core, workspace, "admin");
  });

  const db = () => test.core.database.db;
  const keyOf = (context: CoreContext) => context.caller.apiKey.sid;
  const reached = async (by: CoreContext) =>
    (await listSpaces(by, { kinds: undefined })).spaces.map(({ name }) => name);
  const require = ({ caller }: CoreContext, sid: string) =>
    refusalOf(requireSpace(db(), caller, { workspaceId: caller.workspace.id, sid }));

  it("lists the open spaces of the workspace by name, and none of another", async () => {
    await test.operator.createSpace({ wId: workspaceId, name: "Beta" });
    const { space, keyIds } = await test.operator.createSpace({ wId: workspaceId, name: "Alpha" });
    expect(space).toMatchObject({ name: "Alpha", kind: "regular", isRestricted: false });
    expect(space.sId).toMatch(/^vlt_/);
    expect(keyIds).toEqual([]);
    expect(await reached(ann)).toEqual(["Alpha", "Beta", "Company Data"]);
    const stranger = await openTestContext(test.core, await insertTestWorkspace(test.core));
    expect(await reached(stranger)).toEqual(["Company Data"]);
    expect(await require(ann, space.sId)).toBe("accepted");
    expect(await require(stranger, space.sId)).toBe("400 space_not_found");
  });

  it("hides a restricted space from every key that it is not given to, whatever its role", async () => {
    const restricted = { wId: workspaceId, name: "Secret", isRestricted: true };
    const { space } = await test.operator.createSpace({ ...restricted, keyIds: [keyOf(ann)] });
    expect(await reached(ann)).toContain("Secret");
    expect(await require(ann, space.sId)).toBe("accepted");
    expect(await reached(bob)).not.toContain("Secret");
    expect(await require(bob, space.sId)).toBe(await require(bob, "vlt_unknown"));
  });

  it("replaces the keys of a space as a whole, and leaves them if none are named", async () => {
    const restricted = { wId: workspaceId, name: "Secret", isRestricted: true };
    const { space } = await test.operator.createSpace({ ...restricted, keyIds: [keyOf(ann)] });
    const about = { wId: workspaceId, spaceId: space.sId };
    const keyIds = [keyOf(bob), keyOf(bob)];
    expect(await test.operator.updateSpace({ ...about, keyIds })).toMatchObject({
      keyIds: [keyOf(bob)],
    });
    expect(await reached(ann)).not.toContain("Secret");
    test.clock.now += 1000;
    const renamed = await test.operator.updateSpace({ ...about, name: "Hidden" });
    expect(renamed).toEqual({
      space: { ...space, name: "Hidden", updatedAt: test.clock.now },
      keyIds: [keyOf(bob)],
    });
    expect(await reached(bob)).toContain("Hidden");
    expect(await test.operator.updateSpace({ ...about, keyIds: [] })).toMatchObject({ keyIds: [] });
    expect(await reached(bob)).not.toContain("Hidden");
    await test.operator.updateSpace({ ...about, isRestricted: false });
    expect(await reached(ann)).toContain("Hidden");
  });

  it("gives a space to no key of another workspace, and leaves no trace of the attempt", async () => {
    const stranger = await openTestContext(test.core, await insertTestWorkspace(test.core));
    const keyIds = [keyOf(ann), keyOf(stranger)];
    const refused = test.operator.createSpace({ wId: workspaceId, name: "Secret", keyIds });
    expect(await refusalOf(refused)).toBe("404 api_key_not_found");
    expect(await reached(ann)).toEqual(["Company Data"]);
    const { space } = await test.operator.createSpace({
      wId: workspaceId,
      name: "S",
      keyIds: [keyOf(ann)],
    });
    const about = { wId: workspaceId, spaceId: space.sId };
    const update = test.operator.updateSpace({ ...about, name: "T", keyIds });
    expect(await refusalOf(update)).toBe("404 api_key_not_found");
    expect(await test.operator.updateSpace(about)).toMatchObject({
      space: { name: "S" },
      keyIds: [keyOf(ann)],
    });
    const foreign = { ...about, wId: stranger.caller.workspace.sid };
    expect(await refusalOf(test.operator.updateSpace(foreign))).toBe("400 space_not_found");
  });

  it("ends with one set of keys when several are set at once", async () => {
    const { space } = await test.operator.createSpace({
      wId: workspaceId,
      name: "S",
      isRestricted: true,
    });
    const about = { wId: workspaceId, spaceId: space.sId };
    const sets = [[keyOf(ann)], [keyOf(bob)], [keyOf(ann), keyOf(bob)], [keyOf(ann)]];
    const updates = sets.map((keyIds) =>
      refusalOf(test.operator.updateSpace({ ...about, keyIds })),
    );
    expect(new Set(await Promise.all(updates))).toEqual(new Set(["accepted"]));
    const { keyIds } = await test.operator.updateSpace(about);
    expect(sets).toContainEqual(keyIds);
    const count = await db().$count(apiKeySpaces, eq(apiKeySpaces.apiKeyId, ann.caller.apiKey.id));
    expect(count).toBe(keyIds.filter((keyId) => keyId === keyOf(ann)).length);
  });
});
