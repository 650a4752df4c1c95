import { within } from "@testing-library/react";
import { expect, test } from "vitest";
import { inputsOf } from "../../testing/answer-calls.ts";
import { rowOf, show } from "../../testing/show.tsx";
import { FunctionListPage } from "./list-page.tsx";

const functionOf = (slug: string, changed: object = {}) => ({
  sId: `sfn_${slug}`,
  slug,
  description: "",
  status: "active",
  version: 0,
  requiresApproval: false,
  updatedAt: 0,
  ...changed,
});

test("says which functions are archived, and which need approval", async () => {
  const { calls } = await show(<FunctionListPage />, {
    href: "/functions",
    answers: {
      "sandboxFunctions.listAll": () => ({
        sandboxFunctions: [
          functionOf("add"),
          functionOf("old", { status: "archived" }),
          functionOf("pay", { requiresApproval: true }),
        ],
        hasMore: false,
        lastValue: null,
      }),
    },
  });
  const badgesOf = async (slug: string) =>
    (await rowOf(slug)).querySelector("td, th")!.textContent.slice(slug.length);
  expect(await badgesOf("add")).toBe("");
  expect(await badgesOf("old")).toBe("Archived");
  expect(await badgesOf("pay")).toBe("needs approval");
  expect(inputsOf(calls, "sandboxFunctions.listAll")).toMatchObject([{ status: "active" }]);
  within(await rowOf("add")).getByRole("link", { name: "add" });
});
