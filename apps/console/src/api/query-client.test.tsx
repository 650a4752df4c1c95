import { useMutation, useQuery } from "@tanstack/react-query";
import { cleanup, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { type Answers, inputsOf, refuse } from "../../testing/answer-calls.ts";
import { show } from "../../testing/show.tsx";
import { trpc } from "./clients.ts";

const wId = "wks_1";

/** Two lists, with buttons that refresh the first and change an item of its feature. */
function Lists() {
  const members = useQuery(trpc.members.list.queryOptions({ wId }));
  useQuery(trpc.spaces.list.queryOptions({ wId }));
  const removing = useMutation(trpc.members.remove.mutationOptions());
  return (
    <>
      <p role="status">
        {members.error?.message ?? members.data?.members.map(({ fullName }) => fullName).join()}
      </p>
      <button onClick={() => void members.refetch()}>Read</button>
      <button onClick={() => removing.mutate({ wId, memberId: "usr_1" })}>
        {removing.isSuccess ? "Removed" : "Remove"}
      </button>
    </>
  );
}

/** Shows the lists, the first of which has Ada at first; `names` sets its later content. */
async function open(answers: Answers = {}) {
  const names = ["Ada"];
  const list = () => ({ members: names.map((fullName) => ({ fullName })), hasMore: false });
  const spaces = () => ({ spaces: [] });
  const shown = await show(<Lists />, {
    answers: { "members.list": list, "spaces.list": spaces, ...answers },
  });
  return { ...shown, names };
}

const press = (name: string) => screen.getByRole("button", { name });
const said = () => screen.getByRole("status").textContent;

test("a read is repeated when the connection breaks", async () => {
  const { user, names } = await open();
  await waitFor(() => expect(said()).toBe("Ada"));
  const sent = vi.spyOn(globalThis, "fetch").mockRejectedValueOnce(new TypeError("Load failed"));
  names.push("Bob");
  await user.click(press("Read"));
  await waitFor(() => expect(said()).toBe("Ada,Bob"));
  expect(sent).toHaveBeenCalledTimes(2);
});

test("a read that is refused is not repeated", async () => {
  const { calls } = await open({ "members.list": refuse("Refused") });
  await waitFor(() => expect(said()).toBe("Refused"));
  expect(inputsOf(calls, "members.list")).toHaveLength(1);
});

test("a read that nothing on the page needs any more is aborted", async () => {
  const { user } = await open();
  await waitFor(() => expect(said()).toBe("Ada"));
  const sent = vi.spyOn(globalThis, "fetch").mockReturnValueOnce(new Promise(() => {}));
  await user.click(press("Read"));
  const signal = () => sent.mock.calls[0]?.[1]?.signal;
  expect(signal()?.aborted).toBe(false);
  cleanup();
  expect(signal()?.aborted).toBe(true);
});

test("a change succeeds once the shown queries of its feature, and only those, are refreshed", async () => {
  const { user, names, calls } = await open({ "members.remove": () => ({ success: true }) });
  await waitFor(() => expect(said()).toBe("Ada"));
  names.pop();
  await user.click(press("Remove"));
  await screen.findByRole("button", { name: "Removed" });
  expect(said()).toBe("");
  expect(inputsOf(calls, "members.list")).toHaveLength(2);
  expect(inputsOf(calls, "spaces.list")).toHaveLength(1);
});
