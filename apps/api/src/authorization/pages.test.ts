import { expect, test } from "vitest";
import { describeQuestion } from "./pages.ts";

test("the page that asks names the authorization server's host", () => {
  const described = {
    toolName: "shop",
    userName: "Ada",
    userEmail: "",
    workspaceName: "Shoes",
    serverHost: "login.example.com",
  };
  const page = describeQuestion(described, { state: "s", code: "c" });
  expect(page).toContain("<strong>login.example.com</strong>");
});
