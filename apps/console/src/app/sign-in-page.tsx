import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { sessionQuery, startSession } from "../api/session.ts";
import { currentPlace, signedIn, switchTo } from "../api/signed-in.ts";
import { Button } from "../ui/button.tsx";
import { Command } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { TextField } from "../ui/field.tsx";
import { Mark } from "../ui/icon.tsx";
import { codeIn, safeNext } from "./next-url.ts";

/** Exchanges a pasted key, or the one-time code of a link, for a session. */
export function SignInPage() {
  const queryClient = useQueryClient();
  const router = useRouter();
  const { next, ended } = useSearch({ from: "/sign-in" });
  const signIn = useMutation({
    mutationFn: startSession,
    onSuccess: async (session) => {
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
      queryClient.setQueryData(sessionQuery.queryKey, session);
      await router.navigate({ href: safeNext(next), replace: true });
    },
  });
  const { mutate } = signIn;
  const code = useRef(takeCode());
  useEffect(() => {
    if (code.current === undefined) return;
    mutate(code.current);
    code.current = undefined;
  }, [mutate]);
  return (
    <main className="mx-auto grid min-h-dvh max-w-md content-center gap-5 p-5">
      <title>Sign in · Parley</title>
      <Mark />
      <h1 className="text-2xl font-semibold">Sign in to Parley</h1>
      {ended === true && !signIn.isError && (
        <p role="status" className="rounded-md bg-warn-soft px-4 py-3 text-warn">
          Your session has ended. Sign in again to continue where you left off.
        </p>
      )}
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          mutate(String(new FormData(event.currentTarget).get("key")).trim());
        }}
      >
        <TextField
          label="Key"
          name="key"
          type="password"
          autoComplete="current-password"
          placeholder="sk-…"
          required
          hint="A workspace key, an operator key or a user token. The browser stores a session, not the key."
        />
        <Button type="submit" variant="primary" isBusy={signIn.isPending}>
          Sign in
        </Button>
      </form>
      {signIn.isError && <ErrorNotice title="Sign-in failed" error={signIn.error} />}
      <OtherSessions />
      <div className="grid gap-2 text-sm text-muted">
        <p>On the machine of a server with a demo workspace, this opens the console signed in:</p>
        <Command>parley console</Command>
        <p>The demo keys are in the server’s data directory:</p>
        <Command>cat .parley/demo.json</Command>
      </div>
    </main>
  );
}

/** The browser's other sessions, to go on with one of them. */
function OtherSessions() {
  const others = signedIn().filter(({ place }) => place !== currentPlace);
  if (others.length === 0) return null;
  return (
    <div className="grid gap-2">
      <h2 className="font-medium">Already signed in</h2>
      {others.map(({ place, workspace, key }) => (
        <Button key={place} onClick={() => switchTo(place)}>
          {workspace} <span className="text-muted">{key}</span>
        </Button>
      ))}
    </div>
  );
}

/** The one-time code of the page's URL, which is removed from it at once. */
function takeCode(): string | undefined {
  const code = codeIn(location.hash);
  if (code !== undefined)
    history.replaceState(history.state, "", location.pathname + location.search);
  return code;
}
