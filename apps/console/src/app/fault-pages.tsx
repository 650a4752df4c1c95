import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";
import { useSession } from "../api/use-session.ts";
import { buttonLook } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Page } from "../ui/page.tsx";

/** Shown for a page that the session may not open. */
export function ForbiddenPage() {
  const { role, keyName } = useSession();
  return (
    <Page title="You don't have access to this page">
      <p className="text-muted">
        You are signed in with {keyName} ({role}). Ask an admin of the workspace or an operator of
        the server for a key with access.
      </p>
      <p>
        <Link to="/" className={buttonLook("secondary")}>
          Go home
        </Link>
      </p>
    </Page>
  );
}

/** Shown for a page that failed. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Page title="Something went wrong">
      <ErrorNotice error={error} onRetry={retry} />
    </Page>
  );
}

/** Shown to a session that may open no page. */
export function NoAccessPage() {
  return (
    <Page title="No pages for this key">
      <p className="text-muted">
        This key has no access to any page. Sign in with a different key.
      </p>
    </Page>
  );
}
