import { type RefObject, useEffect } from "react";

/** Distance from the end, in pixels, within which the page keeps scrolling. */
const NEAR = 120;

/** Keeps the end of the page in view while it grows, if the reader is near it. */
export function useStickToEnd(growing: RefObject<HTMLElement | null>, isOn: boolean): void {
  useEffect(() => {
    if (growing.current === null || !isOn) return undefined;
    const page = document.documentElement;
    let isAtEnd = true;
    let height = page.scrollHeight;
    const onScroll = () => {
      // A page that has grown scrolls too: only the reader's position before counts.
      if (page.scrollHeight !== height) return;
      isAtEnd = page.scrollHeight - page.scrollTop - page.clientHeight < NEAR;
    };
    const observer = new ResizeObserver(() => {
      height = page.scrollHeight;
      if (isAtEnd) window.scrollTo({ top: height });
    });
    observer.observe(growing.current);
    addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      removeEventListener("scroll", onScroll);
    };
  }, [growing, isOn]);
}
