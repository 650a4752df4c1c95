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
  children,
}: {
  readonly trigger: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <Radix.Root modal={false}>
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

/** An item that does something. */
export function MenuItem(props: { readonly onSelect: () => void; readonly children: ReactNode }) {
  return <Radix.Item {...props} className={item} />;
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
