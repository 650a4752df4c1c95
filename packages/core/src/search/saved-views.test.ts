import { endpoints, type InputOf, MAX_SAVED_VIEWS, parseInput } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import type { CoreRequest } from "../create-core.ts";
import {
  createSavedView,
  listSavedViews,
  removeSavedView,
  updateSavedView,
} from "./saved-views.ts";

type Create = Omit<InputOf<(typeof endpoints)["savedViews.create"]>, "wId">;

describe("saved views", () => {
  const test = workspaceTest();
  const wIdOf = ({ caller }: CoreRequest) =>
    caller.kind === "workspace" ? caller.workspace.sid : test.workspaceId;
  const create = (view: Partial<Create> = {}, by: CoreRequest = test.context) => {
    const raw = {
      wId: wIdOf(by),
      page: "runs" as const,
      name: "Mine",
      query: "status=errored",
      ...view,
    };
    return createSavedView(by, parseInput(endpoints["savedViews.create"], raw));
  };
  const list = async (by: CoreRequest, page?: "runs" | "audit") => {
    const raw = { wId: wIdOf(by), page };
    const found = await listSavedViews(by, parseInput(endpoints["savedViews.list"], raw));
    return found.savedViews.map(({ name, isOwn }) => `${name}${isOwn ? " (own)" : ""}`);
  };
  const update = (savedViewId: string, changes: object, by: CoreRequest = test.context) =>
    updateSavedView(
      by,
      parseInput(endpoints["savedViews.update"], {
        wId: wIdOf(by),
        savedViewId,
        version: 0,
        ...changes,
      }),
    );
  const remove = (savedViewId: string, version: number, by: CoreRequest = test.context) =>
    removeSavedView(
      by,
      parseInput(endpoints["savedViews.remove"], { wId: wIdOf(by), savedViewId, version }),
    );

  it("shows the caller's own and the shared ones of its workspace", async () => {
    const builder = await openTestContext(test.core, test.workspace, "builder");
    const other = await openTestContext(test.core, await insertTestWorkspace(test.core), "admin");
    await create();
    await create({ name: "Theirs" }, builder);
    await create({ name: "Ours", isShared: true, page: "audit" }, builder);
    await create({ name: "Foreign", isShared: true }, other);
    await create({ name: "Operators'" }, test.operator.context);
    expect(await list(test.context)).toEqual(["Mine (own)", "Ours"]);
    expect(await list(test.context, "audit")).toEqual(["Ours"]);
    expect(await list(builder)).toEqual(["Theirs (own)", "Ours (own)"]);
    expect(await list(other)).toEqual(["Foreign (own)"]);
    expect(await list(test.operator.context)).toEqual(["Ours", "Operators' (own)"]);
  });

  it("lets its owner change one, and admins what is shared", async () => {
    const builder = await openTestContext(test.core, test.workspace, "builder");
    const admin = await openTestContext(test.core, test.workspace, "admin");
    const { savedView: own } = await create();
    const { savedView: shared } = await create({ isShared: true }, builder);
    const { savedView: changed } = await update(own.sId, { name: "New", query: "a=b" });
    expect(changed).toMatchObject({ name: "New", query: "a=b", version: 1, page: "runs" });
    const refused = [
      update(own.sId, { name: "x" }),
      update(own.sId, { name: "x", version: 1 }, builder),
      update(own.sId, { isShared: true, version: 1 }),
      update(shared.sId, { name: "x" }),
      update("svw_unknown", {}),
      create({ name: "New" }),
      create({ isShared: true }),
      remove(own.sId, 1, admin),
      remove(own.sId, 0),
    ].map(refusalOf);
    expect(await Promise.all(refused)).toEqual([
      "409 version_conflict",
      "404 saved_view_not_found",
      "403 app_auth_error",
      "403 app_auth_error",
      "404 saved_view_not_found",
      "400 invalid_request_error",
      "403 app_auth_error",
      "404 saved_view_not_found",
      "409 version_conflict",
    ]);
    const { savedView: second } = await create({ name: "Second" });
    expect(await refusalOf(update(second.sId, { name: "New" }))).toBe("400 invalid_request_error");
    await remove(shared.sId, 0, admin);
    await remove(own.sId, 1);
    expect(await list(test.context)).toEqual(["Second (own)"]);
  });

  it("keeps as many as a user may have", async () => {
    for (let number = 0; number < MAX_SAVED_VIEWS; number++) await create({ name: `${number}` });
    expect(await refusalOf(create({ name: "more" }))).toBe("400 invalid_request_error");
  });
});
