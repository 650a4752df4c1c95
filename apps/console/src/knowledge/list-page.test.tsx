import { expect, test } from "vitest";
import { rowOf, show } from "../../testing/show.tsx";
import { DataSourceListPage } from "./list-page.tsx";

const viewOf = (name: string, spaceId: string, kind: string) => ({
  sId: `dsv_${name}`,
  spaceId,
  kind,
  createdAt: 0,
  dataSource: { name, description: `What ${name} has` },
});

test("names the spaces of data sources, or their ids if the reader may not list them", async () => {
  await show(<DataSourceListPage />, {
    href: "/data-sources",
    answers: {
      "spaces.list": () => ({ spaces: [{ sId: "vlt_1", name: "Company" }] }),
      "dataSourceViews.find": () => ({
        data_source_views: [
          viewOf("Handbook", "vlt_1", "default"),
          viewOf("Orders", "vlt_2", "custom"),
        ],
      }),
    },
  });
  const cellsOf = async (name: string) =>
    [...(await rowOf(name)).querySelectorAll("td, th")].map(({ textContent }) => textContent);
  expect(await cellsOf("Handbook")).toEqual([
    "Handbook",
    "Company",
    "all",
    "What Handbook has",
    expect.any(String),
  ]);
  expect((await cellsOf("Orders")).slice(0, 3)).toEqual(["Orders", "vlt_2", "partial"]);
});
