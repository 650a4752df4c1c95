import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { inputsOf } from "../../testing/answer-calls.ts";
import { rowOf, show } from "../../testing/show.tsx";
import { DocumentList } from "./document-list.tsx";

const node = (nodeId: string, division: object | null) => ({
  nodeId,
  nodeType: division === null ? "folder" : "document",
  title: nodeId,
  contentType: "text/plain",
  bytes: 1234,
  tags: [],
  sourceUrl: null,
  timestamp: 0,
  updatedAt: 0,
  division,
});
const failure = "Its text could not be divided within 10 seconds";
const showList = async (href = "/data-sources/vlt_1/dsv_1", canBuild = true) =>
  show(<DocumentList viewId="dsv_1" dataSourceId="dts_1" canBuild={canBuild} />, {
    href,
    path: "/data-sources/$spaceId/$viewId",
    answers: {
      "dataSourceNodes.list": () => ({
        nodes: [
          node("Broken", { state: "failed", failure, endedAt: 1 }),
          node("Good", { state: "divided", failure: null, endedAt: 1 }),
          node("Shops", null),
        ],
        totals: { nodes: 3, bytes: 2468, waiting: 0, failed: 1 },
        hasMore: false,
        lastValue: null,
      }),
      "dataSourceNodes.divide": () => ({ success: true }),
    },
  });

test("a document that could not be divided says why, and is divided again", async () => {
  const { user, calls } = await showList();
  const broken = within(await rowOf("Broken"));
  broken.getByText("Failed");
  broken.getByText(failure);
  screen.getByText("3 documents and folders, 2,468 bytes, 1 failed");
  const others = [await rowOf("Good"), await rowOf("Shops")];
  for (const row of others) expect(within(row).queryByText(/Divide again/)).toBeNull();
  await user.click(broken.getByRole("button", { name: /Divide again/ }));
  await screen.findByText("Broken is divided again");
  expect(inputsOf(calls, "dataSourceNodes.divide")).toEqual([
    { wId: "wks_1", dataSourceViewId: "dsv_1", nodeId: "Broken" },
  ]);
});

test("the state that is chosen is in the URL, and asked for", async () => {
  const { user, calls, href } = await showList();
  await user.selectOptions(await screen.findByRole("combobox", { name: "State" }), "failed");
  expect(href()).toContain("state=failed");
  await waitFor(() =>
    expect(inputsOf(calls, "dataSourceNodes.list").at(-1)).toMatchObject({ state: "failed" }),
  );
});

test("who may not build is offered nothing to change", async () => {
  await showList(undefined, false);
  await rowOf("Broken");
  expect(screen.queryAllByRole("button")).toEqual([]);
});
