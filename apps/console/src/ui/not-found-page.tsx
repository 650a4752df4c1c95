import { Link } from "@tanstack/react-router";
import { buttonLook } from "./button.tsx";
import { Page } from "./page.tsx";

/** Stands for a URL that is no page, or a page of what there is not. */
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
