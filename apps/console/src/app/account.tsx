import { useMutation } from "@tanstack/react-query";
import { endSession } from "../api/session.ts";
import { useSession } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { useToast } from "../ui/toast.tsx";
import { useSignOut } from "./sign-out.ts";
import { setTheme, type Theme, useTheme } from "../ui/theme.ts";

const themes: Readonly<Record<Theme, { name: string; icon: IconName; next: Theme }>> = {
  system: { name: "System", icon: "screen", next: "light" },
  light: { name: "Light", icon: "sun", next: "dark" },
  dark: { name: "Dark", icon: "moon", next: "system" },
};

/** The signed-in user and workspace, the theme, and a button to sign out. */
export function Account() {
  const { workspace, role, keyName, userName } = useSession();
  const signOut = useSignOut();
  const say = useToast();
  const ending = useMutation({
    mutationFn: endSession,
    onSuccess: signOut,
    onError: (error) => say(`You are still signed in: ${error.message}`),
  });
  const theme = themes[useTheme()];
  return (
    <div className="grid gap-2 text-sm">
      <div className="px-2.5">
        <p className="font-medium">{workspace?.name ?? "All workspaces"}</p>
        <p className="text-muted">
          {userName ?? keyName} · {role}
        </p>
      </div>
      <Button
        variant="ghost"
        isSmall
        className="justify-start"
        onClick={() => setTheme(theme.next)}
      >
        <Icon name={theme.icon} />
        Theme: {theme.name}
      </Button>
      <Button
        variant="ghost"
        isSmall
        className="justify-start"
        isBusy={ending.isPending}
        onClick={() => ending.mutate()}
      >
        <Icon name="exit" />
        Sign out
      </Button>
    </div>
  );
}
