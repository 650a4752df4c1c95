import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Markdown } from "./markdown.tsx";

test("headings come below that of the page, and tables and code are their own groups", () => {
  const text = "# Heading\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst answer = 42;\n```";
  const { container } = render(<Markdown text={text} />);
  expect(screen.getByRole("heading", { level: 2, name: "Heading" })).toBeDefined();
  expect(screen.getAllByRole("cell").map(({ textContent }) => textContent)).toEqual(["1", "2"]);
  expect(screen.getByRole("group", { name: "Code" }).textContent).toContain("const answer = 42;");
  expect(container.querySelector(".hljs-keyword")?.textContent).toBe("const");
});

test("HTML is shown as text", () => {
  const { container } = render(<Markdown text="<img src=x onerror=alert(1)> <b>bold</b>" />);
  expect(container.querySelector("img, b")).toBeNull();
  expect(container.textContent).toContain("<img src=x onerror=alert(1)>");
});

test("links open apart, and those that would run a script lead nowhere", () => {
  render(<Markdown text="[good](https://elsewhere.test/) [bad](javascript:alert(1))" />);
  const link = screen.getByRole("link", { name: "good" });
  expect([link.getAttribute("target"), link.getAttribute("rel")]).toEqual([
    "_blank",
    "noopener noreferrer",
  ]);
  expect(screen.getByText("bad").getAttribute("href")).toBe("");
});

test("a picture is a link to it, which nothing loads", () => {
  const { container } = render(
    <Markdown text="![chart](https://elsewhere.test/a.png) ![](b.png)" />,
  );
  expect(container.querySelector("img")).toBeNull();
  const links = screen.getAllByRole("link");
  expect(links.map((one) => [one.textContent, one.getAttribute("href")])).toEqual([
    ["chart", "https://elsewhere.test/a.png"],
    ["Picture", "b.png"],
  ]);
});
