import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { approvalOf } from "../../testing/models.ts";
import { show } from "../../testing/show.tsx";
import { ELSEWHERE_MS, useWaiting } from "./use-waiting.ts";
import { WaitingNews } from "./waiting-news.tsx";

const LIST = "actions.listBlocked";
const waiting = (actionId: string, conversationId = "con_1") => ({
  ...approvalOf(),
  actionId,
  conversationId,
});

const idsOf = (calls?: readonly { readonly actionId: string }[]) =>
  calls === undefined
    ? "Not read yet"
    : `Known: ${["these", ...calls.map(({ actionId }) => actionId)].join(" ")}`;

/** Shows the waiting calls that the page knows. */
const Known = () => <p>{idsOf(useWaiting({ everyMs: ELSEWHERE_MS }).data?.blockedActions)}</p>;

/** Shows the page at a path, with the first waiting calls; `read` loads later ones. */
async function open(href: string, ...first: ReturnType<typeof waiting>[]) {
  let blockedActions = first;
  const list = () => ({ blockedActions, hasMore: false, lastValue: null });
  const page = (
    <>
      <WaitingNews />
      <Known />
    </>
  );
  await show(page, { href, answers: { [LIST]: list } });
  await screen.findByText(idsOf(first));
  const read = async (...later: ReturnType<typeof waiting>[]) => {
    blockedActions = later;
    // A tab that becomes visible reads at once.
    window.dispatchEvent(new Event("visibilitychange"));
    await screen.findByText(idsOf(later));
  };
  return read;
}

/** The shown news, without its repetition for screen readers. */
const said = () =>
  screen
    .queryAllByText(/^(?!Notification).* (?:is|are) waiting for you/)
    .map(({ textContent }) => textContent);
const text = "Clerk is waiting for you: refund";

test("calls that waited when the page was opened are not news, and later ones are announced once", async () => {
  const read = await open("/agents", waiting("act_1"));
  await read(waiting("act_1"), waiting("act_2"));
  await screen.findByText(text);
  await read(waiting("act_2"), waiting("act_1"));
  expect(said()).toEqual([text]);
  await read(waiting("act_2"), waiting("act_3"));
  await waitFor(() => expect(said()).toEqual([text, text]));
});

test("says how many calls are new if there are several", async () => {
  const read = await open("/agents");
  await read(waiting("act_1"), waiting("act_2", "con_2"));
  await screen.findByText("2 more calls are waiting for you");
  expect(said()).toHaveLength(1);
});

test("says nothing of the conversation that is shown", async () => {
  const read = await open("/conversations/con_1");
  await read(waiting("act_1"));
  await read(waiting("act_1"), waiting("act_2", "con_2"));
  await screen.findByText(text);
  expect(said()).toEqual([text]);
});

test("a call that was decided and waits again is news again", async () => {
  const read = await open("/agents", waiting("act_1"));
  await read();
  await read(waiting("act_1"));
  await screen.findByText(text);
  expect(said()).toEqual([text]);
});
