import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { inputsOf } from "../../testing/answer-calls.ts";
import { show } from "../../testing/show.tsx";
import { FoundParts } from "./found-parts.tsx";

const part = {
  dataSourceId: "dts_1",
  dataSourceName: "Handbook",
  spaceId: "spc_1",
  documentId: "hours",
  title: "Opening hours",
  partId: "p1",
  headings: ["Opening hours", "Sundays"],
  content: "We open at nine.",
  start: 0,
  end: 1600,
  score: 0.03279,
  foundBy: ["words", "meaning"],
};

test("each part says where it is, how it was found, and leads to its document", async () => {
  const { calls } = await show(
    <FoundParts query="opened" dataSourceId="dts_1" tags="hours, shops" excludedTags="" />,
    { answers: { "knowledge.search": () => ({ parts: [part], mode: "exact", modeReason: null }) } },
  );
  const found = within(await screen.findByRole("list", { name: "Found parts" }));
  const link = found.getByRole("link", { name: "Opening hours › Sundays" });
  expect(link.getAttribute("href")).toContain("doc=hours");
  found.getByText("Handbook, found by words and meaning, score 0.0328, characters 0 to 1,600");
  found.getByText("We open at nine.");
  expect(inputsOf(calls, "knowledge.search")).toEqual([
    {
      wId: "wks_1",
      query: "opened",
      limit: 20,
      dataSourceIds: ["dts_1"],
      tags: ["hours", "shops"],
    },
  ]);
});

test("nothing found says when documents are found", async () => {
  const nothing = { parts: [], mode: "word", modeReason: null };
  await show(<FoundParts query="elephant" tags={undefined} excludedTags={undefined} />, {
    answers: { "knowledge.search": () => nothing },
  });
  await screen.findByText(/once they are divided/);
  expect(screen.queryByRole("list", { name: "Found parts" })).toBeNull();
});
