/** What renders absolute URLs of Parley's own resources. */
export interface PublicUrl {
  /** Absolute URL that clients see, without a slash at its end. */
  readonly publicUrl: string;
}

/**
 * Paths of the default pictures, which are public. Stored events hold them: a new picture gets a new
 * name, and the old one stays.
 */
export const picturePaths = {
  agent: "/pictures/agent-1.svg",
  user: "/pictures/user-1.svg",
} as const;

/** The given picture, or the default one. */
export function pictureUrl(
  { publicUrl }: PublicUrl,
  given: string,
  whose: keyof typeof picturePaths,
): string {
  return given === "" ? publicUrl + picturePaths[whose] : given;
}
