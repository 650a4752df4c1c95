import { useMutation } from "@tanstack/react-query";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Menu, MenuCheck } from "../ui/menu.tsx";
import { useToast } from "../ui/toast.tsx";
import { availabilities, type Availability, availabilityOf } from "./availability.ts";
import type { ShownSkill } from "./skill-files.tsx";

interface SkillActionsProps {
  readonly shown: ShownSkill;
  /** Reloads the skill after a conflicting change. */
  readonly onStale: () => void;
}

/** Moves a skill between its states, and sets its availability. */
export function SkillActions({ shown, onStale }: SkillActionsProps) {
  const wId = useWorkspaceId();
  const say = useToast();
  const { skill, version = 0 } = shown;
  const call = { wId, skillId: skill.sId, version };
  const changing = useMutation({
    mutationKey: trpc.skills.pathKey(),
    mutationFn: async (change: "approve" | "archive" | "restore" | Availability) => {
      if (change === "approve") return rpc.skills.approve.mutate(call);
      if (change === "archive") return rpc.skills.archive.mutate(call);
      if (change === "restore") return rpc.skills.restore.mutate(call);
      return rpc.skills.publish.mutate({ ...call, availability: change });
    },
    onSuccess: (changed) =>
      say(
        `${skill.name} is now ${changed.skill.status}. Availability: ${availabilities[changed.skill.availability].toLowerCase()}`,
      ),
  });
  const isBusy = changing.isPending;
  return (
    <>
      {changing.isError && <ErrorNotice error={changing.error} onRetry={onStale} />}
      {skill.status === "suggested" && (
        <Button variant="primary" isBusy={isBusy} onClick={() => changing.mutate("approve")}>
          Approve
        </Button>
      )}
      {skill.status === "active" && (
        <Menu trigger={<Button isBusy={isBusy}>Availability</Button>}>
          {Object.entries(availabilities).map(([value, words]) => (
            <MenuCheck
              key={value}
              isChecked={skill.availability === value}
              onChange={() => {
                const availability = availabilityOf(value);
                if (availability && availability !== skill.availability) {
                  changing.mutate(availability);
                }
              }}
            >
              {words}
            </MenuCheck>
          ))}
        </Menu>
      )}
      {skill.status === "archived" ? (
        <Button isBusy={isBusy} onClick={() => changing.mutate("restore")}>
          Restore
        </Button>
      ) : (
        <Button isBusy={isBusy} onClick={() => changing.mutate("archive")}>
          Archive
        </Button>
      )}
    </>
  );
}
