import { Link } from "@tanstack/react-router";
import { rowLink } from "../../ui/table.tsx";

interface TitleLinkProps {
  readonly sId: string;
  readonly title: string;
}

/** The title of a conversation in a list, as a link. */
export function TitleLink({ sId, title }: TitleLinkProps) {
  return (
    <Link
      to="/conversations/$conversationId"
      params={{ conversationId: sId }}
      className={`line-clamp-2 ${rowLink}`}
    >
      {title === "" ? "Untitled" : title}
    </Link>
  );
}
