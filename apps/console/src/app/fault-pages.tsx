import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";
import { useSession } from "../api/use-session.ts";
import { buttonLook } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Page } from "../ui/page.tsx";

/** Stands for a page that the session may not use. */
export function ForbiddenPage() {
  const { role, keyName } = useSession();
  return (
    <Page title="This page is not for your key">
      <p className="text-muted">
        You are signed in with {keyName}, whose role is {role}. Sign in with a key that may use the
        page, which an admin of the workspace or an operator of the server gives you.
      </p>
      <p>
        <Link to="/" className={buttonLook("secondary")}>
          To the first page
        </Link>
      </p>
    </Page>
  );
}

/** Stands for a page that failed. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Page title="This page failed">
      <ErrorNotice error={error} onRetry={retry} />
    </Page>
  );
}

/** Stands for the pages of a session that may use none. */
export function NoAccessPage() {
  return (
    <Page title="No page for this key">
      <p className="text-muted">
        This credential may call none of what the pages show. Sign out, and in with another one.
      </p>
    </Page>
  );
}
