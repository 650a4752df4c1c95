import type { Page } from "playwright-core";

/** The widths in pixels at which pages are looked at: a desk, a tablet or half a desk, and a phone. */
export const widths = [1440, 1024, 390] as const;

/** Characters of a line: 75 of average width, and some more where many are narrow. */
const MAX_LINE = 80;

/**
 * What is wrong with the layout of a page: what is wider than the page, text that is cut without a sign of it, and prose with
 * long lines.
 */
export function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate((maxLine) => {
    const nameOf = (element: Element) =>
      `${element.tagName.toLowerCase()} "${(element.textContent ?? "").trim().slice(0, 60)}"`;
    const all = document.documentElement;
    const faults = all.scrollWidth > all.clientWidth ? [`scrolls to ${all.scrollWidth} px`] : [];
    for (const element of document.body.querySelectorAll("*")) {
      const style = getComputedStyle(element);
      const { overflowX, overflowY, textOverflow, clipPath, position, webkitLineClamp } = style;
      const hidden = ["hidden", "clip"];
      // Text that ends with an ellipsis after some lines.
      if (webkitLineClamp !== "none") continue;
      // Words for screen readers only.
      if (position === "absolute" && clipPath !== "none") continue;
      if ((element.textContent ?? "").trim() === "" || element.closest(".cm-editor")) continue;
      const isCutX = hidden.includes(overflowX) && element.scrollWidth > element.clientWidth + 1;
      const isCutY = hidden.includes(overflowY) && element.scrollHeight > element.clientHeight + 1;
      if ((isCutX && textOverflow !== "ellipsis") || isCutY) faults.push(`cuts ${nameOf(element)}`);
    }
    // A button or a link whose words are outside of its box.
    for (const element of document.querySelectorAll("button, a, th, td, label, h1, h2")) {
      const box = element.getBoundingClientRect();
      const isOutside = box.width > 1 && (box.left < -1 || box.right > all.clientWidth + 1);
      if (isOutside && !element.closest(".overflow-x-auto, [class*=translate]"))
        faults.push(`is outside of the page: ${nameOf(element)}`);
    }
    const longestLine = (text: Node): number => {
      const range = document.createRange();
      const lines = new Map<number, number>();
      for (let at = 0; at < (text.textContent ?? "").length; at++) {
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        const { top, width } = range.getBoundingClientRect();
        if (width > 0) lines.set(Math.round(top), (lines.get(Math.round(top)) ?? 0) + 1);
      }
      return Math.max(0, ...lines.values());
    };
    for (const element of document.querySelectorAll("main p")) {
      for (const text of element.childNodes) {
        if (text.nodeType !== Node.TEXT_NODE || (text.textContent ?? "").length <= maxLine)
          continue;
        const characters = longestLine(text);
        if (characters > maxLine) faults.push(`has ${characters} characters in ${nameOf(element)}`);
      }
    }
    return faults;
  }, MAX_LINE);
}
