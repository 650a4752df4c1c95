import { type EndpointName, endpoints, TokenScope, WorkspaceRole } from "@parley/schema";
import { expect, test } from "vitest";
import type { Session } from "../api/session.ts";
import { mayOpen, places } from "./navigation.tsx";

/** What each page of the menu is for: the endpoint that a session must be allowed to call. */
const needs: Readonly<Record<string, EndpointName>> = {
  "/workspaces": "workspaces.list",
  "/conversations": "conversations.list",
  "/search": "search.messages",
  "/approvals": "conversations.list",
  "/runs": "runs.list",
  "/overview": "overview.get",
  "/alerts": "alerts.list",
  "/usage": "usage.get",
  "/agents": "agents.list",
  "/feedback": "feedbacks.list",
  "/functions": "sandboxFunctions.list",
  "/skills": "skills.list",
  "/tools": "tools.list",
  "/data-sources": "dataSources.list",
  "/memories": "memories.list",
  "/schedules": "schedules.list",
  "/secrets": "functionSecrets.list",
  "/settings": "workspaces.get",
  "/members": "members.add",
  "/spaces": "spaces.listAll",
  "/keys": "apiKeys.list",
  "/triggers": "triggers.listAll",
  "/webhooks": "webhooks.list",
  "/trace-destinations": "traceDestinations.list",
  "/operator-keys": "operatorKeys.list",
  "/budgets": "budgets.list",
  "/audit": "audit.list",
};
const roles = WorkspaceRole.options;

test("each page of the menu is here", () => {
  expect(Object.keys(needs)).toEqual(expect.arrayContaining(places.map(({ to }) => to)));
});

test.each(Object.entries(needs))("%s is open to those who may call %s", (page, name) => {
  const { role, scope } = endpoints[name];
  const lowest = roles.indexOf(role as WorkspaceRole);
  for (const [rank, own] of roles.entries()) {
    expect(mayOpen({ role: own, scopes: null } as Session, page), own).toBe(
      lowest >= 0 && rank >= lowest,
    );
  }
  for (const one of TokenScope.options) {
    const session = { role: "user", scopes: [one] } as unknown as Session;
    expect(mayOpen(session, page), one).toBe(scope === one);
  }
});
