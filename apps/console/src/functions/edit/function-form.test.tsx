import { Link } from "@tanstack/react-router";
import { screen, within } from "@testing-library/react";
import { useState } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { inputsOf, Refusal } from "../../../testing/answer-calls.ts";
import { show } from "../../../testing/show.tsx";
import { type Definition, emptyDraft, type FunctionDraft } from "./draft.ts";
import { FunctionForm } from "./function-form.tsx";

type Props = Partial<React.ComponentProps<typeof FunctionForm>>;

const simulated: FunctionDraft = { ...emptyDraft, slug: "greet", type: "simulated" };

beforeEach(() => {
  // The types of code are checked in one, which never answers here.
  vi.stubGlobal(
    "Worker",
    class extends EventTarget {
      postMessage(): void {}
      terminate(): void {}
    },
  );
});

/** The form with its last saved draft, and a link to another page. */
function Editor(props: Props) {
  const [saved, setSaved] = useState(props.initial ?? simulated);
  return (
    <>
      <Link to="/functions">Functions</Link>
      <FunctionForm
        isNew={false}
        submitLabel="Save"
        isBusy={false}
        refusal={null}
        {...props}
        initial={saved}
        onSubmit={(draft, definition) => {
          props.onSubmit?.(draft, definition);
          setSaved(draft);
        }}
      />
    </>
  );
}

/** Shows the form, and gives its submissions. */
async function open(props: Props = {}) {
  const onSubmit = vi.fn<(draft: FunctionDraft, definition: Definition) => void>();
  const answers = { "functionSecrets.list": () => ({ functionSecrets: [] }) };
  const shown = await show(<Editor {...props} onSubmit={onSubmit} />, {
    href: "/functions/new",
    answers,
  });
  return { ...shown, onSubmit };
}

const field = (name: string | RegExp) => screen.getByRole<HTMLInputElement>("textbox", { name });
const save = () => screen.getByRole<HTMLButtonElement>("button", { name: "Save" });
const leave = () => screen.getByRole("link", { name: "Functions" });

test("gives the definition as it was written, with the limits as numbers", async () => {
  const { user, onSubmit } = await open();
  await user.type(field("Description"), "Greets");
  await user.clear(field("Timeout (ms)"));
  await user.type(field("Timeout (ms)"), "500");
  await user.click(screen.getByRole("checkbox", { name: /^Require approval/ }));
  await user.click(save());
  expect(onSubmit).toHaveBeenCalledOnce();
  const [draft, definition] = onSubmit.mock.calls[0]!;
  expect(draft.slug).toBe("greet");
  expect(definition).toMatchObject({
    description: "Greets",
    program: { type: "simulated", behaviour: { steps: [] } },
    outputSchema: {},
    timeoutMs: 500,
    retryable: false,
    requiresApproval: true,
  });
});

test("reports an error without asking the server, and clears it once it is fixed", async () => {
  const { user, onSubmit } = await open();
  await user.type(field("Log lines"), "x");
  await user.click(save());
  const words = /The function was not saved.*“Log lines” must be a whole number/;
  expect(screen.getByRole("alert").textContent).toMatch(words);
  expect(onSubmit).not.toHaveBeenCalled();
  await user.type(field("Log lines"), "{Backspace}");
  await user.click(save());
  expect(onSubmit).toHaveBeenCalledOnce();
  expect(screen.queryByRole("alert")).toBeNull();
});

test("shows the server's problems at their text", async () => {
  const issue = { path: "program.behaviour.steps", message: "must not be empty" };
  const { user } = await open({ refusal: new Refusal("Refused", [issue]) });
  expect(screen.getByRole("alert").textContent).toMatch(/The function was not saved.*Refused/);
  // A draft that was not sent has no problems.
  expect(screen.queryByRole("list", { name: /^Problems/ })).toBeNull();
  await user.click(save());
  const name = "Problems in “Behaviour (JSON)”";
  const list = await screen.findByRole("list", { name });
  expect(within(list).getByRole("button").textContent).toContain("must not be empty");
});

test.for([
  ["e2b", "Template (optional)"],
  ["javascript", "Allowed hosts"],
] as const)("has the fields of what it runs: %s", async ([type, label]) => {
  const { user, calls, onSubmit } = await open();
  await screen.findByRole("group", { name: "Behaviour (JSON)" });
  expect(screen.queryByRole("textbox", { name: "Requests" })).toBeNull();
  await user.selectOptions(screen.getByRole("combobox", { name: "Runtime" }), type);
  await user.type(field(label), "a");
  expect(screen.queryByRole("group", { name: "Behaviour (JSON)" })).toBeNull();
  const isCode = type === "javascript";
  expect(screen.queryByRole("textbox", { name: "Requests" }) !== null).toBe(isCode);
  expect(inputsOf(calls, "functionSecrets.list")).toHaveLength(isCode ? 1 : 0);
  await user.click(save());
  const program = isCode ? { type, allowedHosts: ["a"] } : { type, template: "a" };
  expect(onSubmit.mock.calls[0]?.[1].program).toMatchObject(program);
});

test("a new function has a name, which it needs", async () => {
  const { user, onSubmit } = await open({ isNew: true, initial: { ...simulated, slug: "" } });
  expect(field("Slug").required).toBe(true);
  await user.click(save());
  expect(onSubmit).not.toHaveBeenCalled();
  await user.type(field("Slug"), "greet-all");
  await user.click(save());
  expect(onSubmit.mock.calls[0]?.[0].slug).toBe("greet-all");
});

test("a stored function keeps its name", async () => {
  await open();
  expect(screen.queryByRole("textbox", { name: "Slug" })).toBeNull();
});

test("asks before unsaved edits are left", async () => {
  const { user, href } = await open();
  await user.type(field("Description"), "Greets");
  await user.click(leave());
  await screen.findByRole("dialog", { name: "Leave without saving?" });
  await user.click(screen.getByRole("button", { name: "Stay" }));
  await user.click(save());
  await user.click(leave());
  expect(screen.queryByRole("dialog")).toBeNull();
  await vi.waitFor(() => expect(href()).toBe("/functions"));
});

test("cannot be saved twice at once", async () => {
  const { user, onSubmit } = await open({ isBusy: true });
  expect(save().getAttribute("aria-busy")).toBe("true");
  await user.click(save());
  expect(onSubmit).not.toHaveBeenCalled();
});

test("shows the packages of code, and keeps their files", async () => {
  const files = {
    "index.ts": 'import "dayjs"; export default () => 1;',
    "package.json": "{}",
    "node_modules/dayjs/package.json": '{ "version": "1.11.19", "license": "MIT" }',
    "node_modules/dayjs/index.js": "",
  };
  const initial: FunctionDraft = { ...emptyDraft, slug: "dated", files };
  const { user, onSubmit } = await open({ initial });
  const tabs = screen.getAllByRole("tab").map(({ textContent }) => textContent);
  expect(tabs).toEqual(expect.arrayContaining(["index.ts", "package.json"]));
  expect(tabs.filter((tab) => tab?.startsWith("node_modules"))).toEqual([]);
  expect(screen.getByText(/^npm packages, .*: dayjs 1\.11\.19 \(MIT\)$/)).toBeDefined();
  await user.type(field("Description"), "Dates");
  await user.click(save());
  expect(onSubmit.mock.lastCall?.[1].program).toMatchObject({ source: files });
});
