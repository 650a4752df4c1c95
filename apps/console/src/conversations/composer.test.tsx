import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { type Answers, Refusal } from "../../testing/answer-calls.ts";
import { agentOf } from "../../testing/models.ts";
import { show } from "../../testing/show.tsx";
import { Composer, type Draft } from "./composer.tsx";

const agents = [agentOf("clerk"), agentOf("helper", { userFavorite: true }), agentOf("teller")];
const answers: Answers = {
  "agents.list": () => ({ agentConfigurations: agents }),
};

const sending = (isSent = true) => vi.fn<(draft: Draft) => Promise<boolean>>(async () => isSent);
const composer = (onSend: (draft: Draft) => Promise<boolean>, isBusy = false) => (
  <Composer suggestedAgentIds={undefined} onSend={onSend} isBusy={isBusy} />
);

const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const send = () => screen.getByRole<HTMLButtonElement>("button", { name: "Send" });
const chooser = async (names: string) => screen.findByRole("button", { name: `Agents: ${names}` });

test("Enter sends to the favourite agent, and Shift+Enter starts a new line", async () => {
  const onSend = sending();
  const { user } = await show(composer(onSend), { answers });
  await chooser("helper");
  await user.type(field(), "One{Shift>}{Enter}{/Shift}two{Enter}");
  expect(onSend.mock.calls).toEqual([[{ text: "One\ntwo", agentIds: ["helper"], files: [] }]]);
  expect(field().value).toBe("");
});

test("a message waits until it is known who answers it", async () => {
  const listed = Promise.withResolvers<void>();
  const onSend = sending();
  const late: Answers = {
    "agents.list": async () => listed.promise.then(() => ({ agentConfigurations: agents })),
  };
  const { user } = await show(composer(onSend), { answers: late });
  await user.type(field(), "Hello{Enter}");
  expect(send().disabled).toBe(true);
  listed.resolve();
  await chooser("helper");
  await user.click(send());
  expect(onSend.mock.calls).toEqual([[{ text: "Hello", agentIds: ["helper"], files: [] }]]);
});

test("a message to the agents of a link is sent before they are listed", async () => {
  const onSend = sending();
  const never: Answers = { "agents.list": async () => new Promise(() => {}) };
  const suggested = <Composer suggestedAgentIds={["teller"]} onSend={onSend} isBusy={false} />;
  const { user } = await show(suggested, { answers: never });
  await user.type(field(), "Hello{Enter}");
  expect(onSend.mock.calls).toEqual([[{ text: "Hello", agentIds: ["teller"], files: [] }]]);
});

test("Enter that confirms a word in an input method sends nothing", async () => {
  const onSend = sending();
  const { user } = await show(composer(onSend), { answers });
  await user.type(field(), "こんにちは");
  fireEvent.keyDown(field(), { key: "Enter", isComposing: true });
  expect(onSend).not.toHaveBeenCalled();
});

test("does not send only spaces, or anything while it is busy", async () => {
  const onSend = sending();
  const { user } = await show(composer(onSend, true), { answers });
  await user.type(field(), "  ");
  expect(send().disabled).toBe(true);
  await user.type(field(), "Hello{Enter}");
  expect(send().disabled).toBe(true);
  expect(onSend).not.toHaveBeenCalled();
});

test("an unsent text stays, unless another was typed in the meantime", async () => {
  const refusing = Promise.withResolvers<boolean>();
  const onSend = sending(false);
  const { user } = await show(composer(onSend), { answers });
  await user.type(field(), "First{Enter}");
  await waitFor(() => expect(field().value).toBe("First"));
  onSend.mockReturnValueOnce(refusing.promise);
  await user.type(field(), "{Enter}Second");
  field().blur();
  refusing.resolve(false);
  await waitFor(() => expect(document.activeElement).toBe(field()));
  expect(field().value).toBe("Second");
});

test("goes to the agents that are chosen in place of the favourite, or to none", async () => {
  const onSend = sending();
  const { user } = await show(composer(onSend), { answers });
  (await chooser("helper")).focus();
  await user.keyboard("{Enter}");
  expect(
    screen.getAllByRole("menuitemcheckbox").map((one) => one.getAttribute("aria-checked")),
  ).toEqual(["false", "true", "false"]);
  await user.click(screen.getByRole("menuitemcheckbox", { name: "teller" }));
  await chooser("teller");
  await user.click(screen.getByRole("menuitemcheckbox", { name: "helper" }));
  await user.keyboard("{Escape}");
  await user.type(field(), "Both{Enter}");
  await user.click(await chooser("helper, teller"));
  await user.click(screen.getByRole("menuitemcheckbox", { name: "helper" }));
  await user.click(screen.getByRole("menuitemcheckbox", { name: "teller" }));
  await user.keyboard("{Escape}");
  await chooser("No agents");
  await user.type(field(), "None{Enter}");
  expect(onSend.mock.calls.map(([{ agentIds }]) => agentIds)).toEqual([["teller", "helper"], []]);
});

test("says that the agents could not be read", async () => {
  const refuse = () => {
    throw new Refusal("Refused");
  };
  const refused = { "agents.list": refuse };
  await show(composer(sending()), { answers: refused });
  expect(await screen.findByText("Agents could not be loaded")).toBeDefined();
});

test("waits for uploads, and sends the uploaded files that were not removed", async () => {
  const announced = new Map<string, PromiseWithResolvers<unknown>>();
  const announce = async ({ fileName }: { readonly fileName: string }) => {
    const announcing = Promise.withResolvers<unknown>();
    announced.set(fileName, announcing);
    return announcing.promise;
  };
  const onSend = sending();
  const { user } = await show(composer(onSend), {
    answers: {
      ...answers,
      "POST /files": announce,
      "POST /files/fil_1": () => ({ file: { sId: "fil_1" } }),
      "POST /files/fil_3": () => ({ file: { sId: "fil_3" } }),
    },
  });
  const accept = (fileName: string, sId: string) => {
    const uploadUrl = "https://elsewhere.test/files";
    announced.get(fileName)?.resolve({ file: { sId, fileName, uploadUrl } });
  };
  await user.type(field(), "Files");
  const files = ["a.txt", "b.txt", "c.txt"].map((name) => new File([name], name));
  fireEvent.drop(field(), { dataTransfer: { files, types: ["Files"] } });
  const list = await screen.findByRole("list", { name: "Attachments" });
  const item = (name: string) => within(list).getByText(name).closest("li")?.textContent;
  expect(item("b.txt")).toContain("uploading …");
  expect(send().disabled).toBe(true);
  await waitFor(() => expect(announced.has("a.txt")).toBe(true));
  accept("a.txt", "fil_1");
  await waitFor(() => expect(announced.has("b.txt")).toBe(true));
  announced.get("b.txt")?.reject(new Refusal("Too large"));
  await waitFor(() => expect(announced.has("c.txt")).toBe(true));
  expect(send().disabled).toBe(true);
  accept("c.txt", "fil_3");
  await waitFor(() => expect(send().disabled).toBe(false));
  expect(within(list).getByRole("alert").textContent).toBe("upload failed: Too large");
  await user.click(within(list).getByRole("button", { name: "Remove a.txt" }));
  await user.click(send());
  expect(onSend.mock.calls[0]?.[0].files).toEqual([{ fileId: "fil_3", title: "c.txt" }]);
  await waitFor(() => expect(screen.queryByRole("list", { name: "Attachments" })).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(field()));
});

test("takes no files with a token that may not upload them", async () => {
  const session = { scopes: ["agents:read" as const] };
  const { calls } = await show(composer(sending()), { answers, session });
  expect(screen.queryByRole("button", { name: "Attach files" })).toBeNull();
  const files = [new File(["a"], "a.txt")];
  fireEvent.drop(field(), { dataTransfer: { files, types: ["Files"] } });
  await chooser("helper");
  expect(calls.map(({ to }) => to)).not.toContain("POST /files");
});
