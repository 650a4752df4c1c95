import { useMutation } from "@tanstack/react-query";
import { endSession } from "../api/session.ts";
import { currentPlace, freePlace, signedIn, switchTo } from "../api/signed-in.ts";
import { useSession } from "../api/use-session.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Menu, MenuItem, MenuLine, MenuName } from "../ui/menu.tsx";
import { density, type Theme, theme, useTheme } from "../ui/theme.ts";
import { useToast } from "../ui/toast.tsx";
import { useSignOut } from "./sign-out.ts";

const themes: Readonly<Record<Theme, { name: string; icon: IconName; next: Theme }>> = {
  system: { name: "System", icon: "screen", next: "light" },
  light: { name: "Light", icon: "sun", next: "dark" },
  dark: { name: "Dark", icon: "moon", next: "system" },
};

/** The workspace and the key of the page, with a menu: the browser's other sessions, how the page looks, the way out. */
export function Account() {
  const { workspace, role, keyName, userName } = useSession();
  const signOut = useSignOut();
  const say = useToast();
  const ending = useMutation({
    mutationFn: endSession,
    onSuccess: signOut,
    onError: (error) => say(`You are still signed in: ${error.message}`),
  });
  const shown = themes[useTheme()];
  const isCompact = density.use() === "compact";
  const others = signedIn().filter(({ place }) => place !== currentPlace);
  const free = freePlace();
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-busy={ending.isPending}
          className="flex w-full items-center gap-2.5 rounded-md px-2.5 py-1.5 text-left hover:bg-raised"
        >
          <Icon name="people" />
          <span className="sr-only">Account: </span>
          <span className="min-w-0 grow">
            <span className="block truncate font-medium">
              {workspace?.name ?? "All workspaces"}
            </span>
            <span className="block truncate text-sm text-muted">
              {userName ?? keyName} · {role}
            </span>
          </span>
          <Icon name="more" />
        </button>
      }
    >
      {others.length > 0 && <MenuName>Switch to</MenuName>}
      {others.map(({ place, workspace: name, key }) => (
        <MenuItem key={place} onSelect={() => switchTo(place)}>
          <Icon name="workspace" />
          <span>
            {name} <span className="text-muted">{key}</span>
          </span>
        </MenuItem>
      ))}
      {free !== undefined && (
        <MenuItem onSelect={() => switchTo(free, "/sign-in")}>
          <Icon name="plus" />
          Add another key
        </MenuItem>
      )}
      <MenuLine />
      <MenuItem isKept onSelect={() => theme.set(shown.next)}>
        <Icon name={shown.icon} />
        Theme: {shown.name}
      </MenuItem>
      <MenuItem isKept onSelect={() => density.set(isCompact ? "comfortable" : "compact")}>
        <Icon name="rows" />
        Density: {isCompact ? "Compact" : "Comfortable"}
      </MenuItem>
      <MenuLine />
      <MenuItem onSelect={() => ending.mutate()}>
        <Icon name="exit" />
        Sign out
      </MenuItem>
    </Menu>
  );
}
