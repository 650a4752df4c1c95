import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { inputsOf } from "../../testing/answer-calls.ts";
import { rowOf, show } from "../../testing/show.tsx";
import { DataTables } from "./data-tables.tsx";

const table = {
  table_id: "prices",
  title: "Prices",
  row_count: 1234,
  schema: [
    { name: "product", value_type: "text" },
    { name: "since", value_type: "datetime" },
  ],
  timestamp: 0,
};
const showTables = async ({ canBuild = true, tables = [table] } = {}) =>
  show(<DataTables dataSourceId="dts_1" canBuild={canBuild} />, {
    answers: {
      "tables.list": () => ({ tables, total: tables.length }),
      "tableRows.list": () => ({
        rows: [
          {
            row_id: "1",
            value: {
              product: "Tea",
              since: { type: "datetime", epoch: 0, string_value: "1970-01-01" },
            },
          },
        ],
        total: 1234,
      }),
      "tables.uploadCsv": () => ({ table }),
      "tables.delete": () => ({ table: { table_id: "prices" } }),
    },
  });

test("a table is shown with its columns and first rows", async () => {
  const { user, calls } = await showTables();
  const prices = within(await rowOf("Prices"));
  prices.getByText("product, since");
  prices.getByText("1,234");
  await user.click(prices.getByRole("button", { name: /Show rows/ }));
  const rows = within(await screen.findByRole("dialog"));
  await rows.findByText("The first 1 of 1,234 rows");
  rows.getByText("since (datetime)");
  rows.getByText("1970-01-01");
  expect(inputsOf(calls, "tableRows.list")).toEqual([
    { wId: "wks_1", dsId: "dts_1", tableId: "prices", limit: 20 },
  ]);
});

test("a CSV file is uploaded as a table that is called like it", async () => {
  const { user, calls } = await showTables({ tables: [] });
  await screen.findByText(/No tables/);
  await user.click(screen.getByRole("button", { name: "Upload table" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.upload(
    dialog.getByLabelText("CSV file"),
    new File(["product,price\nTea,3.5\n"], "prices.csv", { type: "text/csv" }),
  );
  await waitFor(() => expect(dialog.getByLabelText("Id")).toHaveProperty("value", "prices"));
  await user.type(dialog.getByLabelText("Tags"), "shop, public");
  await user.click(dialog.getByRole("button", { name: "Upload" }));
  await screen.findByText("Prices uploaded: 1,234 rows");
  expect(inputsOf(calls, "tables.uploadCsv")).toEqual([
    {
      wId: "wks_1",
      dsId: "dts_1",
      table_id: "prices",
      name: "prices",
      title: "",
      description: "",
      tags: ["shop", "public"],
      csv: "product,price\nTea,3.5\n",
    },
  ]);
});

test("a table is deleted once its id is typed, and only by builders", async () => {
  const { user, calls } = await showTables();
  await user.click(within(await rowOf("Prices")).getByRole("button", { name: /Delete/ }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.type(dialog.getByRole("textbox"), "prices");
  await user.click(dialog.getByRole("button", { name: /Delete/ }));
  await waitFor(() =>
    expect(inputsOf(calls, "tables.delete")).toEqual([
      { wId: "wks_1", dsId: "dts_1", tableId: "prices" },
    ]),
  );
});

test("who may not build is offered the rows alone", async () => {
  await showTables({ canBuild: false });
  await rowOf("Prices");
  expect(screen.queryAllByRole("button").map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining("Show rows"),
  ]);
});
