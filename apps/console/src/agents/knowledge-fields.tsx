import { useQuery } from "@tanstack/react-query";
import { rpc, trpc } from "../api/clients.ts";
import { pagesOf } from "../api/pages-of.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { CheckField, TextArea, TextField } from "../ui/field.tsx";
import { type Choice, ChoiceList } from "./choice-list.tsx";
import type { KnowledgeDraft } from "./knowledge-draft.ts";

interface KnowledgeFieldsProps {
  readonly knowledge: KnowledgeDraft;
  readonly onChange: (knowledge: KnowledgeDraft) => void;
}

/** What an agent may look up: everything, or data sources, folders and tags. */
export function KnowledgeFields({ knowledge, onChange }: KnowledgeFieldsProps) {
  const wId = useWorkspaceId();
  const { data: sources = [] } = useQuery({
    queryKey: [...trpc.dataSourceViews.list.pathKey(), "choices", wId],
    queryFn: async ({ signal }) => {
      const pages = await Array.fromAsync(
        pagesOf((place) => rpc.dataSourceViews.list.query({ wId, ...place }, { signal })),
      );
      return pages
        .flatMap(({ dataSourceViews }) => dataSourceViews)
        .map(({ dataSourceId, name, description }): Choice => ({
          id: dataSourceId,
          name,
          description: description ?? "",
        }));
    },
    staleTime: 30_000,
  });
  const change = (changed: Partial<KnowledgeDraft>) => onChange({ ...knowledge, ...changed });
  return (
    <>
      <CheckField
        label="Can look up all documents"
        checked={knowledge.everything}
        onChange={(event) => change({ everything: event.target.checked })}
      />
      {!knowledge.everything && (
        <>
          <ChoiceList
            label="Data sources to look up in"
            choices={sources}
            chosen={knowledge.dataSourceIds}
            onChange={(dataSourceIds) => change({ dataSourceIds })}
          />
          <TextField
            label="Tags to look up"
            hint="Separated by commas; documents with one of them, in any data source"
            value={knowledge.tags}
            onChange={({ target: { value } }) => change({ tags: value })}
          />
          <TextArea
            label="Folders to look up in"
            hint="One per line: id of the data source, a slash, id of the folder"
            value={knowledge.folders}
            onChange={({ target: { value } }) => change({ folders: value })}
          />
        </>
      )}
    </>
  );
}
