import { expect, test } from "vitest";
import { describeQuestion } from "./callback.ts";

test("the page that asks names the authorization server's host, and is sent to its own address", () => {
  const described = {
    toolName: "shop",
    userName: "Ada",
    userEmail: "",
    workspaceName: "Shoes",
    serverHost: "login.example.com",
  };
  const path = "/oauth/callback/document";
  const page = describeQuestion(described, { path, state: "s", code: "c" });
  expect(page).toContain("<strong>login.example.com</strong>");
  // Relative: there may be a prefix before the path.
  expect(page).toContain('action="document"');
});
