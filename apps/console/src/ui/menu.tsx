import * as Radix from "@radix-ui/react-dropdown-menu";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";

const item =
  "flex cursor-default items-center gap-2 rounded px-2 py-1.5 outline-none select-none data-highlighted:bg-accent-soft data-highlighted:text-accent data-disabled:opacity-50";

/**
 * A menu that a button opens. It is not modal: a modal one adds a style element, which the policy of the
 * page refuses.
 */
export function Menu({
  trigger,
  onOpenChange,
  children,
}: {
  readonly trigger: ReactNode;
  readonly onOpenChange?: (isOpen: boolean) => void;
  readonly children: ReactNode;
}) {
  return (
    <Radix.Root modal={false} {...(onOpenChange && { onOpenChange })}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-80 min-w-48 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-lg"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface MenuItemProps {
  readonly onSelect: () => void;
  /** Whether the menu stays open. */
  readonly isKept?: boolean;
  readonly children: ReactNode;
}

/** An item that does something. */
export function MenuItem({ onSelect, isKept = false, children }: MenuItemProps) {
  const select = (event: Event) => {
    if (isKept) event.preventDefault();
    onSelect();
  };
  return (
    <Radix.Item onSelect={select} className={item}>
      {children}
    </Radix.Item>
  );
}

/** The name of the items below it. */
export function MenuName({ children }: { readonly children: ReactNode }) {
  return <Radix.Label className="px-2 pt-1.5 pb-0.5 text-sm text-muted">{children}</Radix.Label>;
}

/** A line between groups of items. */
export function MenuLine() {
  return <Radix.Separator className="my-1 border-t border-line" />;
}

/** An item that is chosen or not; the menu stays open. */
export function MenuCheck({
  isChecked,
  onChange,
  children,
}: {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly children: ReactNode;
}) {
  return (
    <Radix.CheckboxItem
      checked={isChecked}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
      className={item}
    >
      <span className="size-4.5 shrink-0">{isChecked && <Icon name="check" />}</span>
      {children}
    </Radix.CheckboxItem>
  );
}
