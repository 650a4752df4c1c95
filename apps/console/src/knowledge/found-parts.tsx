import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Output } from "parley-client";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { rowLink } from "../ui/table.tsx";
import { formatNumber } from "../ui/time.tsx";

type FoundPart = Output<"knowledge.search">["parts"][number];

const ways = { words: "words", pieces: "pieces of words", meaning: "meaning" } as const;

interface FoundPartsProps {
  readonly query: string;
  /** The only data source that is searched; all without it. */
  readonly dataSourceId?: string;
  /** Tags of which a document needs one, and of which it may have none; separated by commas. */
  readonly tags: string | undefined;
  readonly excludedTags: string | undefined;
}

const PARTS = 20;

const listOf = (tags: string | undefined): string[] | undefined => {
  const named = (tags ?? "").split(",").map((tag) => tag.trim());
  const given = named.filter((tag) => tag !== "");
  return given.length === 0 ? undefined : given;
};

/** The parts of documents that agents would be given for a query, in the order of the search. */
export function FoundParts({ query, dataSourceId, tags, excludedTags }: FoundPartsProps) {
  const wId = useWorkspaceId();
  const input = {
    wId,
    query,
    limit: PARTS,
    dataSourceIds: dataSourceId === undefined ? undefined : [dataSourceId],
    tags: listOf(tags),
    excludedTags: listOf(excludedTags),
  };
  const found = useQuery(trpc.knowledge.search.queryOptions(input));
  return (
    <Loaded query={found} label="the parts">
      {({ parts }) =>
        parts.length === 0 ? (
          <EmptyState title="Agents find nothing">
            <p className="text-muted">
              Documents are found once they are divided, a few seconds after an upload.
            </p>
          </EmptyState>
        ) : (
          <ol aria-label="Found parts" className="grid gap-3">
            {parts.map((part, index) => (
              <FoundPartItem key={part.partId} place={index + 1} part={part} />
            ))}
          </ol>
        )
      }
    </Loaded>
  );
}

function FoundPartItem({ place, part }: { readonly place: number; readonly part: FoundPart }) {
  const { title, headings, dataSourceName, documentId, content, start, end, score, foundBy } = part;
  const path = headings.filter((heading) => heading !== title);
  return (
    <li className="grid gap-1 rounded-lg border border-line p-3">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone="accent">{place}</Badge>
        <Link to="." search={(before) => ({ ...before, doc: documentId })} className={rowLink}>
          {[title, ...path].join(" › ")}
        </Link>
      </p>
      <p className="text-sm text-muted">
        {dataSourceName}, found by {foundBy.map((way) => ways[way]).join(" and ")}, score{" "}
        {score.toFixed(4)}, characters {formatNumber(start)} to {formatNumber(end)}
      </p>
      <p className="line-clamp-6 whitespace-pre-wrap text-sm">{content}</p>
    </li>
  );
}
