const paths = {
  agent: "M5 9h14v10H5zM12 9V5M9 13v2M15 13v2M3 13v3M21 13v3",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4",
  bad: "M17 13V4h3v9zM17 13l-4 8c-1.5 0-2.5-1-2.5-2.5V15H5a1.5 1.5 0 0 1-1.5-1.8l1.3-7A2 2 0 0 1 6.8 4H17",
  check: "M5 12l5 5 9-10",
  chat: "M4 5h16v11H12l-5 4v-4H4z",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  exit: "M14 4h6v16h-6M4 12h11M11 8l4 4-4 4",
  file: "M6 3h8l4 4v14H6zM14 3v5h4",
  function: "M17 5c-6-2-5 6-6 14M7 11h8",
  good: "M7 11v9H4v-9zM7 11l4-8c1.5 0 2.5 1 2.5 2.5V9H19a1.5 1.5 0 0 1 1.5 1.8l-1.3 7A2 2 0 0 1 17.2 20H7",
  key: "M8 15a4 4 0 1 1 3-6.6L20 8v3h-2v2h-3l-3.4.3A4 4 0 0 1 8 15z",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  lock: "M6 11h12v9H6zM9 11V7a3 3 0 0 1 6 0v4",
  menu: "M4 6h16M4 12h16M4 18h16",
  money: "M3 6h18v12H3zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM6.5 12h.01M17.5 12h.01",
  more: "M8 9l4-4 4 4M8 15l4 4 4-4",
  moon: "M20 14A8 8 0 1 1 10 4a7 7 0 0 0 10 10z",
  people:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20a6 6 0 0 1 12 0M16 4.5a3.5 3.5 0 0 1 0 6M18 14.5a6 6 0 0 1 3 5.5",
  overview: "M4 4v16h16M8 15l4-5 3 3 5-7",
  play: "M7 5l12 7-12 7z",
  plus: "M12 5v14M5 12h14",
  retry: "M20 12a8 8 0 1 1-3-6.2M20 4v5h-5",
  rows: "M4 5h16M4 9.5h16M4 14h16M4 18.5h16",
  runs: "M4 6h10M4 12h16M4 18h7",
  screen: "M3 5h18v11H3zM9 20h6M12 16v4",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4 4",
  settings: "M4 7h10M18 7h2M16 5v4M4 17h4M12 17h8M10 15v4",
  skill: "M5 4h11l3 3v13H5zM9 10h6M9 14h6",
  space: "M3 7h7l2 2h9v11H3z",
  stop: "M7 7h10v10H7z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M19 5l-1.5 1.5M6.5 17.5L5 19",
  tool: "M14 6a4 4 0 0 1 5-2l-3 3 2 2 3-3a4 4 0 0 1-5 5L8 19a2 2 0 0 1-3-3z",
  usage: "M4 20h16M6 20v-6h3v6M11 20V6h3v14M16 20v-9h3v9",
  trigger: "M20 12H8M12 8l-4 4 4 4M4 5v14",
  webhook: "M4 12h12M12 8l4 4-4 4M20 5v14",
  workspace: "M4 20V8l8-4 8 4v12M9 20v-6h6v6",
} as const;

/** The name of an icon. */
export type IconName = keyof typeof paths;

/** A small drawing beside words that say the same: screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg
      viewBox="0 0 24 24"
      className="size-4.5 shrink-0"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}

/** The mark of the product. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" className="size-6 shrink-0" aria-hidden="true">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path
        d="M10.5 25.5V13.5a6.5 6.5 0 1 1 6.5 6.5h-1"
        fill="none"
        className="stroke-on-accent"
        strokeWidth="4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
