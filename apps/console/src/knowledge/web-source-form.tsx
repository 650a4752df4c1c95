import { useMutation } from "@tanstack/react-query";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { SelectField, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";

interface WebSourceFormProps {
  readonly viewId: string;
  readonly onCreate: (url: string) => void;
  readonly onClose: () => void;
}

const textIn = (form: FormData, name: string): string | undefined =>
  String(form.get(name) ?? "").trim() || undefined;
const numberIn = (form: FormData, name: string): number | undefined => {
  const text = textIn(form, name);
  return text === undefined ? undefined : Number(text);
};

/** Adds what of the web a data source is filled from. */
export function WebSourceForm({ viewId, onCreate, onClose }: WebSourceFormProps) {
  const wId = useWorkspaceId();
  const creating = useMutation(
    trpc.webSources.create.mutationOptions({
      onSuccess: ({ webSource }) => onCreate(webSource.url),
    }),
  );
  return (
    <FormDialog
      title="Add web pages"
      description="Reads public pages of one origin, as far as their robots.txt allows."
      submit="Add"
      action={creating}
      onSubmit={(form) => {
        const kind = form.get("kind");
        creating.mutate({
          wId,
          dataSourceViewId: viewId,
          url: String(form.get("url")),
          kind: kind === "sitemap" || kind === "crawl" ? kind : "page",
          depth: numberIn(form, "depth"),
          maxPages: numberIn(form, "maxPages"),
          cron: textIn(form, "cron"),
          timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
          tags: (textIn(form, "tags") ?? "")
            .split(",")
            .map((tag) => tag.trim())
            .filter((tag) => tag !== ""),
        });
      }}
      onClose={onClose}
    >
      <TextField label="URL" name="url" type="url" required maxLength={2048} autoComplete="off" />
      <SelectField label="What is read" name="kind" defaultValue="page">
        <option value="page">The page</option>
        <option value="sitemap">The pages of a sitemap</option>
        <option value="crawl">The page and what it links to</option>
      </SelectField>
      <TextField
        label="Depth"
        name="depth"
        type="number"
        min={0}
        max={10}
        defaultValue={2}
        hint="Links that are followed one after the other, if links are followed."
      />
      <TextField
        label="Pages at most"
        name="maxPages"
        type="number"
        min={1}
        max={1000}
        defaultValue={100}
      />
      <TextField
        label="Read again"
        name="cron"
        autoComplete="off"
        placeholder="0 3 * * *"
        hint="Cron expression in your time zone; empty for by hand only."
      />
      <TextField label="Tags" name="tags" autoComplete="off" hint="Comma-separated." />
    </FormDialog>
  );
}
