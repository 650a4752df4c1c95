import { Link } from "@tanstack/react-router";
import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "../../testing/show.tsx";
import { UnsavedGuard } from "./unsaved-guard.tsx";

/** Shows a page with a way to another, which is taken. */
async function leave(isUnsaved: boolean) {
  const page = (
    <>
      <UnsavedGuard isUnsaved={isUnsaved} />
      <Link to="/functions">Functions</Link>
    </>
  );
  const shown = await show(page, { href: "/functions/new" });
  await shown.user.click(screen.getByRole("link", { name: "Functions" }));
  return shown;
}

const dialog = async () => screen.findByRole("dialog", { name: "Leave without saving?" });

test("leaves a page on which nothing is unsaved", async () => {
  const { href } = await leave(false);
  await waitFor(() => expect(href()).toBe("/functions"));
  expect(screen.queryByRole("dialog")).toBeNull();
});

test.for(["Stay", "Close", "Escape"])(
  "stays with %s, and asks again the next time",
  async (way) => {
    const { user, href } = await leave(true);
    await dialog();
    if (way === "Escape") await user.keyboard("{Escape}");
    else await user.click(screen.getByRole("button", { name: way }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(href()).toBe("/functions/new");
    await user.click(screen.getByRole("link", { name: "Functions" }));
    await dialog();
  },
);

test("leaves once that is chosen", async () => {
  const { user, href } = await leave(true);
  await dialog();
  expect(href()).toBe("/functions/new");
  await user.click(screen.getByRole("button", { name: "Leave" }));
  await waitFor(() => expect(href()).toBe("/functions"));
});
