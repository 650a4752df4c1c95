import { Outlet, useMatches } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useSession } from "../api/use-session.ts";
import { WaitingNews } from "../approvals/waiting-news.tsx";
import { IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Icon, Mark } from "../ui/icon.tsx";
import { Account } from "./account.tsx";
import { AlertBanner } from "../alerts/alert-banner.tsx";
import { BudgetBanner } from "../usage/budget-banner.tsx";
import { WebhookBanner } from "../webhooks/webhook-banner.tsx";
import { ForbiddenPage } from "./fault-pages.tsx";
import { Breadcrumbs, mayOpen, Navigation, placesFor } from "./navigation.tsx";
import { PaletteButton } from "../search/palette-button.tsx";
import { PaletteHost } from "../search/palette-host.tsx";

/** The frame of every page of a session: the menu, beside the page or above it. */
export function Layout() {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const session = useSession();
  // The path of the shown page; the location is already that of the next page while it loads.
  const pathname = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? "/" });
  useFocusOfPage(main, pathname);
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[15rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-2 text-on-accent focus:translate-y-0"
      >
        Skip to content
      </a>
      <header className="flex items-center gap-2 border-b border-line bg-surface px-3 py-2 md:hidden">
        <IconButton label="Menu" onClick={() => setMenuOpen(true)}>
          <Icon name="menu" />
        </IconButton>
        <Mark />
        <span className="font-semibold">Parley</span>
      </header>
      <aside
        aria-label="Menu"
        className="sticky top-0 hidden h-dvh flex-col gap-4 border-r border-line bg-surface p-3 md:flex"
      >
        <p className="flex items-center gap-2 px-2 pt-1 text-lg font-semibold">
          <Mark />
          Parley
        </p>
        <PaletteButton />
        <div className="min-h-0 grow overflow-y-auto">
          <Navigation />
        </div>
        <Account />
      </aside>
      <main
        ref={main}
        id="content"
        tabIndex={-1}
        className="min-w-0 px-4 py-5 outline-none md:px-8"
      >
        <div className="mx-auto max-w-6xl">
          <BudgetBanner />
          <WebhookBanner />
          <AlertBanner />
          <Breadcrumbs pathname={pathname} />
          {mayOpen(session, pathname) ? <Outlet /> : <ForbiddenPage />}
        </div>
      </main>
      {mayOpen(session, "/approvals") && <WaitingNews />}
      <PaletteHost pages={placesFor(session)} />
      <Dialog title="Parley" isOpen={isMenuOpen} onOpenChange={setMenuOpen} isSide>
        <div className="mt-4 grid gap-6">
          <PaletteButton onOpen={() => setMenuOpen(false)} />
          <Navigation onNavigate={() => setMenuOpen(false)} />
          <Account />
        </div>
      </Dialog>
    </div>
  );
}

/** Moves the focus to a page that was opened from the menu. */
function useFocusOfPage(main: { readonly current: HTMLElement | null }, pathname: string): void {
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    const { activeElement } = document;
    if (activeElement === document.body || activeElement?.closest("nav")) main.current?.focus();
  }, [pathname, main]);
}
