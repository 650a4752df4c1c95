// What the protocol's conformance suite asks of its writes, or of streams that are not JSON, and the server does not
// have: names of its groups and tests, or their beginnings.

interface NotRun {
  readonly why: string;
  readonly tests: readonly string[];
}

/** What is left out of the suite, and why. */
export const notRun: readonly NotRun[] = [
  {
    why: "Streams do not expire: a log is deleted with what it belongs to",
    tests: [
      "TTL and Expiry Validation",
      "TTL and Expiry Edge Cases",
      "HEAD Metadata Edge Cases",
      "TTL Expiration Behavior",
    ],
  },
  {
    why: "Only the server appends: its writers have no sequence of their own, and no epoch",
    tests: [
      "Idempotent Producer",
      "Sequence Ordering Properties",
      "should enforce sequence ordering",
      "should enforce lexicographic seq ordering",
      "should allow lexicographic seq ordering",
      "should reject duplicate seq values",
      "should enforce case-sensitive seq ordering",
      "should accept headers with different casing",
      "concurrent writers with sequence numbers",
      "concurrent writers racing with incrementing seq values",
      "producer-state-survives-close",
      "close-with-different-body-dedup",
    ],
  },
  {
    why: "Every log is JSON, so that none is encoded for Server-Sent Events",
    tests: [
      "base64 SSE catch-up",
      "should auto-detect",
      "should include Stream-SSE-Data-Encoding header for binary streams",
      "should base64 encode data events only",
      "should handle empty binary payload",
      "should handle large binary payload",
      "should handle binary data with special bytes",
      "should handle offset=now with auto-detected base64",
    ],
  },
  { why: "There are no forks", tests: ["Fork - "] },
];
