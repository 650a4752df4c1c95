import * as Radix from "@radix-ui/react-dialog";
import { type ReactNode, type RefObject, useRef } from "react";
import { IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { join } from "./join.ts";

interface DialogProps {
  readonly title: string;
  readonly description?: string;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  /** A panel at the left edge instead of one in the middle. */
  readonly isSide?: boolean;
  /**
   * What has the focus first; by default the button that closes it. The focus then returns to where it was: Radix gives it
   * to a trigger of its own only.
   */
  readonly first?: RefObject<HTMLElement | null>;
  /** Whether a click outside leaves it open. */
  readonly isKept?: boolean;
  readonly children: ReactNode;
}

/**
 * A modal dialog. Its backdrop is an element of our own: Radix's adds a style element, which the policy
 * of the page refuses.
 */
export function Dialog({
  title,
  description,
  isOpen,
  onOpenChange,
  isSide = false,
  isKept = false,
  first,
  children,
}: DialogProps) {
  const before = useRef<Element | null>(null);
  return (
    <Radix.Root open={isOpen} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <div className="fixed inset-0 z-40 bg-black/50" />
        <Radix.Content
          {...(description === undefined && { "aria-describedby": undefined })}
          onOpenAutoFocus={(event) => {
            if (first === undefined) return;
            event.preventDefault();
            before.current = document.activeElement;
            first.current?.focus();
          }}
          onCloseAutoFocus={(event) => {
            if (first === undefined) return;
            event.preventDefault();
            if (before.current instanceof HTMLElement) before.current.focus();
          }}
          onInteractOutside={(event) => {
            if (isKept) event.preventDefault();
          }}
          className={join(
            "fixed z-50 overflow-y-auto border border-line bg-canvas shadow-xl",
            isSide
              ? "inset-y-0 left-0 w-72 max-w-[85vw] p-4"
              : "top-1/2 left-1/2 grid max-h-[85vh] w-[min(36rem,calc(100vw-2rem))] -translate-1/2 gap-4 rounded-lg p-5",
          )}
        >
          <div className="flex items-start justify-between gap-3">
            <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton label="Close" isSmall>
                <Icon name="close" />
              </IconButton>
            </Radix.Close>
          </div>
          {description !== undefined && (
            <Radix.Description className="text-muted">{description}</Radix.Description>
          )}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
