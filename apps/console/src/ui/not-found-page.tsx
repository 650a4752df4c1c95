import { Link } from "@tanstack/react-router";
import { buttonLook } from "./button.tsx";
import { Page } from "./page.tsx";

/** Shown for an unknown URL, and for the page of something that does not exist. */
export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <p className="text-muted">The URL may be mistyped, or its content was deleted.</p>
      <p>
        <Link to="/" className={buttonLook("secondary")}>
          Go home
        </Link>
      </p>
    </Page>
  );
}
