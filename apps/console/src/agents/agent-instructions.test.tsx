import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { Refusal } from "../../testing/answer-calls.ts";
import { show } from "../../testing/show.tsx";
import { AgentForm } from "./agent-form.tsx";
import { type AgentInput, emptyDraft } from "./definition.ts";
import { TryAgent } from "./try-agent.tsx";

const answers = {
  "agents.list": () => ({ agentConfigurations: [] }),
  "agents.listVersions": () => ({ versions: [], hasMore: false, lastValue: null }),
  "models.list": () => ({ models: [] }),
  "skills.list": () => ({ skills: [] }),
  "tools.list": () => ({ tools: [] }),
  "dataSourceViews.list": () => ({ dataSourceViews: [], hasMore: false, lastValue: null }),
  "sandboxFunctions.list": () => ({ sandboxFunctions: [], hasMore: false, lastValue: null }),
};

test("the instructions say which values they may name, and the server's refusal is shown", async () => {
  const why = 'instructions: line 1, column 1: "x" is not the name of a value.';
  const refusal = new Refusal(why);
  const form = (
    <AgentForm
      initial={emptyDraft}
      submitLabel="Save"
      isBusy={false}
      isSaved={false}
      refusal={refusal}
      onSubmit={() => {}}
    />
  );
  await show(form, { href: "/agents/new", answers });
  const values = "{{now}}, {{user.name}}, {{user.email}}, {{workspace.name}}, {{conversation.id}}";
  await screen.findByText((text) => text.endsWith(`Values: ${values}; write {{{{ for {{ as text.`));
  expect(screen.getByText((text) => text.includes(why))).toBeTruthy();
});

test("trying an agent says when tools of skills are offered", async () => {
  await show(<TryAgent agentId="agt_1" readForm={vi.fn<() => AgentInput>()} />, {
    href: "/agents/agt_1",
    answers,
  });
  expect(await screen.findByText(/Tools of skills are offered once/)).toBeTruthy();
});
