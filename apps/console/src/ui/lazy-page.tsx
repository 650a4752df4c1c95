import { type AsyncRouteComponent, lazyRouteComponent } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { untilServerAnswers, useServerAway } from "./away.ts";

type Component = (props: never) => React.ReactNode;

/**
 * A page that is loaded when it is opened. While the server is away, the previous page stays; if a new version of
 * the console has replaced the files of this one, opening the page reloads it once.
 */
export function lazyPage<Name extends string, M extends Record<Name, Component>>(
  load: () => Promise<M>,
  name: Name,
): AsyncRouteComponent<object> {
  const loadPage = async (): Promise<Record<Name, Component>> => {
    try {
      return await load();
    } catch {
      await untilServerAnswers();
    }
    try {
      return await load();
    } catch {
      return { [name]: ReplacedPage as Component } as Record<Name, Component>;
    }
  };
  return lazyRouteComponent(loadPage as never, name as never) as AsyncRouteComponent<object>;
}

const RELOADED = "parley.reloaded";

/** Shown for a page whose file is gone. A reload loads the new version, if there is one. */
function ReplacedPage() {
  const [isOld, setOld] = useState(false);
  useEffect(() => {
    const version = versionOfPage();
    if (sessionStorage.getItem(RELOADED) === version) return setOld(true);
    sessionStorage.setItem(RELOADED, version);
    location.reload();
  }, []);
  if (isOld) throw new Error("The server does not have this page's files. Reload to try again.");
  return <p role="status">Loading the new version …</p>;
}

/** The script that the page started with, which differs in each version. */
const versionOfPage = (): string =>
  document.querySelector<HTMLScriptElement>("script[type=module]")?.src ?? "";

/** Says that the server is away while a page waits for it. */
export function AwayNotice() {
  const isAway = useServerAway();
  return (
    <div
      role="status"
      aria-live="polite"
      className="fixed inset-x-0 bottom-4 z-50 grid justify-center"
    >
      {isAway && (
        <p className="rounded-md border border-line bg-surface px-4 py-2 shadow-lg">
          Cannot reach the server. The page opens as soon as it is back.
        </p>
      )}
    </div>
  );
}
