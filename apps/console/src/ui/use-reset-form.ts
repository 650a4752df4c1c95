import { type RefObject, useEffect, useRef } from "react";

/** A form that is reset to its default values when `of` changes, as the URL does; the focus stays. */
export function useResetForm(of: string): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.reset(), [of]);
  return form;
}
