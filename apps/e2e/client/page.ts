import { Window } from "happy-dom";
import { createElement, type ReactNode, StrictMode, useEffect } from "react";
import { afterAll, beforeAll } from "vitest";
import { eventually } from "../server.ts";

/** A component on a page. */
export interface Page {
  /** The text of the element with this id. */
  readonly text: (id: string) => string;
  /** Resolves when the element has the text, or one that matches. */
  readonly shows: (id: string, text: string | RegExp) => Promise<void>;
  readonly click: (id: string) => void;
  readonly unmount: () => void;
}

/**
 * Gives the tests of a file a document for React, and what mounts a component in it under StrictMode. The
 * rest stays Node's, fetch above all.
 */
export function openPages(): (node: ReactNode) => Promise<Page> {
  const names = ["window", "document"] as const;
  const before = names.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));
  const window = new Window();
  const mounted = new Set<() => void>();
  beforeAll(() => {
    for (const name of names) {
      const value = name === "window" ? window : window.document;
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    }
  });
  afterAll(async () => {
    for (const unmount of mounted) unmount();
    await window.happyDOM.close();
    for (const [index, name] of names.entries()) {
      const descriptor = before[index];
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, descriptor);
    }
  });

  return async (node) => {
    // It asks for a document when it is loaded.
    const { createRoot } = await import("react-dom/client");
    const container = document.createElement("div");
    document.body.append(container);
    const root = createRoot(container);
    let effects = 0;
    const Mounted = (): ReactNode => {
      useEffect(() => void effects++);
      return null;
    };
    root.render(createElement(StrictMode, null, node, createElement(Mounted)));
    const find = (id: string): HTMLElement => {
      const element = container.querySelector<HTMLElement>(`[data-id="${id}"]`);
      if (element === null) throw new Error(`The page has no ${id}`);
      return element;
    };
    const text = (id: string) => find(id).textContent ?? "";
    const unmount = (): void => {
      mounted.delete(unmount);
      root.unmount();
      container.remove();
    };
    mounted.add(unmount);
    // StrictMode mounts everything twice, and nobody clicks in between.
    await eventually(async () => (effects > 1 ? { value: true } : {}), 5000);
    return {
      text,
      shows: async (id, expected) => {
        const look = async () => {
          const shown = text(id);
          const isRight = typeof expected === "string" ? shown === expected : expected.test(shown);
          return isRight ? { value: true } : {};
        };
        await eventually(look, 30_000).catch(() => {
          throw new Error(`${id} shows "${text(id)}" and never ${expected}`);
        });
      },
      click: (id) => find(id).click(),
      unmount,
    };
  };
}

/** An element with a text, for `shows`. */
export function show(id: string, value: unknown): ReactNode {
  return createElement("p", { key: id, "data-id": id }, String(value));
}

/** A button, for `click`. */
export function button(id: string, act: () => unknown): ReactNode {
  return createElement("button", { key: id, "data-id": id, onClick: () => void act() });
}
