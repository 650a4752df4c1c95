import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Button, buttonLook } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { useResetForm } from "../ui/use-reset-form.ts";

const textIn = (form: FormData, name: string): string | undefined =>
  String(form.get(name) ?? "").trim() || undefined;

/** The form of the search of a data source: by titles and texts, or as agents search, to see how that ranks. */
export function DocumentSearch() {
  const { q, by, tags, without } = useSearch({ from: "/session/data-sources/$spaceId/$viewId" });
  const navigate = useNavigate({ from: "/data-sources/$spaceId/$viewId" });
  const searchForm = useResetForm([q, by, tags, without].join("\n"));
  return (
    <search>
      <form
        ref={searchForm}
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const isByParts = form.get("by") === "parts";
          void navigate({
            search: {
              q: textIn(form, "q"),
              ...(isByParts && {
                by: "parts",
                tags: textIn(form, "tags"),
                without: textIn(form, "without"),
              }),
            },
          });
        }}
      >
        <TextField label="Search documents" type="search" name="q" defaultValue={q ?? ""} />
        <SelectField label="Way" name="by" defaultValue={by ?? ""}>
          <option value="">Documents by words</option>
          <option value="parts">Parts, as agents do</option>
        </SelectField>
        {by === "parts" && (
          <>
            <TextField label="With one of the tags" name="tags" defaultValue={tags ?? ""} />
            <TextField label="Without the tags" name="without" defaultValue={without ?? ""} />
          </>
        )}
        <Button type="submit">Search</Button>
        {q !== undefined && (
          <Link to="." search={{}} className={buttonLook("ghost")}>
            All documents
          </Link>
        )}
      </form>
    </search>
  );
}
