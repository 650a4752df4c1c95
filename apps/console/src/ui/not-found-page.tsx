import { Link } from "@tanstack/react-router";
import { buttonLook } from "./button.tsx";
import { Page } from "./page.tsx";

/** Stands for a URL that is no page, or a page of what there is not. */
export function NotFoundPage() {
  return (
    <Page title="There is no such page">
      <p className="text-muted">The address may be mistyped, or what it showed was deleted.</p>
      <p>
        <Link to="/" className={buttonLook("secondary")}>
          To the first page
        </Link>
      </p>
    </Page>
  );
}
