import { screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { Refusal } from "../../testing/answer-calls.ts";
import { show } from "../../testing/show.tsx";
import { flagOf } from "../routing/search.ts";
import { SignInPage } from "./sign-in-page.tsx";

const session = { workspace: null, role: "operator", keyName: "root" };
const field = () => screen.getByLabelText<HTMLInputElement>("Key");
const submit = () => screen.getByRole<HTMLButtonElement>("button", { name: "Sign in" });

/** Shows the page with the answer to its call, and gives the credentials that were sent. */
async function open(create: () => unknown, query = "") {
  const answers = { "session.create": create };
  const shown = await show(<SignInPage />, {
    href: `/sign-in${query}`,
    isOutside: true,
    validateSearch: (search) => ({ ...search, ended: flagOf(search, "ended") }),
    answers,
  });
  const sent = vi.spyOn(globalThis, "fetch");
  const credentials = () =>
    sent.mock.calls.map(([, init]) => new Headers(init?.headers).get("authorization"));
  return { ...shown, credentials };
}

test.for([
  ["", "/"],
  ["?next=/conversations/con_1%3Fview%3Dtimeline", "/conversations/con_1?view=timeline"],
  ["?next=//elsewhere.test", "/"],
] as const)("a pasted key opens a session, and leads from %s to %s", async ([query, target]) => {
  const { user, href, credentials } = await open(() => ({ session }), query);
  await user.type(field(), " sk-1 {Enter}");
  await waitFor(() => expect(href()).toBe(target));
  expect(credentials()).toEqual(["Bearer sk-1"]);
});

test("says why a key is refused, keeps it, and stays", async () => {
  const { user, href } = await open(() => {
    throw new Refusal("There is no such key");
  });
  await user.type(field(), "sk-1{Enter}");
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toMatch(/Sign-in failed.*no such key.*req_1/);
  expect(field().value).toBe("sk-1");
  expect(href()).toBe("/sign-in");
});

test("a text that cannot be a key is not sent", async () => {
  const { user, calls } = await open(() => ({ session }));
  await user.type(field(), "my key{Enter}");
  expect((await screen.findByRole("alert")).textContent).toContain("without spaces");
  expect(calls).toEqual([]);
});

test("cannot be pressed twice at once", async () => {
  const creating = Promise.withResolvers<unknown>();
  const { user, calls } = await open(() => creating.promise);
  await user.type(field(), "sk-1{Enter}");
  await waitFor(() => expect(submit().getAttribute("aria-busy")).toBe("true"));
  await user.click(submit());
  expect(calls).toHaveLength(1);
  creating.resolve({ session });
});

test("says that the session has ended, until another reason is said", async () => {
  const refuse = () => {
    throw new Refusal("Refused");
  };
  const { user } = await open(refuse, "?ended=true");
  expect(screen.getByRole("status").textContent).toContain("Your session has ended");
  await user.type(field(), "sk-1{Enter}");
  await screen.findByRole("alert");
  expect(screen.queryByRole("status")).toBeNull();
});

test("takes a one-time code, which is gone from the URL at once", async () => {
  history.replaceState(null, "", "/sign-in#code=once-1");
  const { href, calls } = await open(() => ({ session }), "?next=/agents");
  expect(location.hash).toBe("");
  await waitFor(() => expect(href()).toBe("/agents"));
  expect(calls).toEqual([{ to: "session.create", input: {} }]);
});
