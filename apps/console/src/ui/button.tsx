import type { ComponentProps } from "react";
import { join } from "./join.ts";

type Variant = "primary" | "secondary" | "ghost" | "danger";

const variants: Record<Variant, string> = {
  primary: "bg-accent text-on-accent hover:bg-accent-hover border-transparent",
  secondary: "bg-raised text-ink border-control hover:bg-surface",
  ghost: "text-ink border-transparent hover:bg-surface",
  danger: "bg-bad-soft text-bad border-bad hover:underline",
};

/** The look of a button, also for links. */
export function buttonLook(variant: Variant = "secondary", isSmall = false): string {
  return join(
    "inline-flex items-center justify-center gap-1.5 rounded-md border font-medium",
    "whitespace-nowrap transition-colors disabled:opacity-60",
    isSmall ? "min-h-(--control-small) px-2.5 text-sm" : "min-h-(--control) px-3.5",
    variants[variant],
  );
}

interface ButtonProps extends ComponentProps<"button"> {
  readonly variant?: Variant;
  readonly isSmall?: boolean;
  /** Whether its action is under way: it cannot be pressed again. */
  readonly isBusy?: boolean;
  /** Its object, if several buttons share a label; screen readers say it after the label. */
  readonly of?: string;
}

/** A button; of a form only with `type="submit"`. */
export function Button({
  variant,
  isSmall,
  isBusy = false,
  disabled,
  className,
  type = "button",
  of,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled === true || isBusy}
      aria-busy={isBusy}
      className={join(buttonLook(variant, isSmall), className)}
    >
      {children}
      {of !== undefined && <span className="sr-only"> {of}</span>}
    </button>
  );
}

/** A button that shows an icon alone; `label` names it. */
export function IconButton({ label, ...rest }: ButtonProps & { readonly label: string }) {
  return (
    <Button
      variant="ghost"
      {...rest}
      aria-label={label}
      title={label}
      className={join("min-w-9 px-1.5", rest.className)}
    />
  );
}
