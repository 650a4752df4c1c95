import type { Key, ShownPage } from "./shown-page.ts";

const everyUser: readonly Key[] = ["admin", "builder", "user"];
const builders: readonly Key[] = ["admin", "builder"];

/** The pages about agents, and about what people say of their answers. */
export const agentPages: readonly ShownPage[] = [
  {
    route: "/feedback",
    name: "feedback",
    pathOf: () => "/feedback",
    keys: builders,
    alt: "A table of ratings of answers with their comments, agents and authors",
  },
  {
    route: "/memories",
    name: "memories",
    pathOf: () => "/memories",
    keys: everyUser,
    alt: "A table of files that agents remember, below changes that wait for approval",
  },
  {
    route: "/agents",
    name: "agents",
    pathOf: () => "/agents",
    keys: everyUser,
    alt: "A table of agents with their descriptions, states and models",
  },
  {
    route: "/agents/new",
    name: "new-agent",
    pathOf: () => "/agents/new",
    keys: builders,
    alt: "A form for the name, instructions, model, skills, functions and tools of a new agent",
  },
  {
    route: "/agents/$agentId",
    name: "agent",
    pathOf: ({ agentId }) => `/agents/${agentId}`,
    keys: everyUser,
    alt: "The editor of an agent, beside a form that tries it without saving",
  },
  {
    route: "/agents/$agentId/versions",
    name: "agent-versions",
    pathOf: ({ agentId }) => `/agents/${agentId}/versions`,
    keys: builders,
    alt: "The versions of an agent with what changed in each, and the differences of the newest",
  },
];
