import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Output } from "parley-client";
import { hasScope } from "../api/access.ts";
import { rpc, trpc } from "../api/clients.ts";
import { useParley, useSession, useWorkspaceId } from "../api/use-session.ts";
import { StatusBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { formatDuration } from "../ui/time.tsx";
import { formatCost } from "../ui/tokens.ts";

type Task = Output<"conversations.listTasks">["tasks"][number];

/** The tasks below a conversation as a tree, which can be cancelled through the answers that asked; nothing without one. */
export function Tasks({ conversationId }: { readonly conversationId: string }) {
  const call = { wId: useWorkspaceId(), cId: conversationId };
  const canWrite = hasScope(useSession(), "conversations:write");
  const parley = useParley();
  const queryClient = useQueryClient();
  const listed = useInfiniteQuery({
    queryKey: [...trpc.conversations.listTasks.queryKey(call), "pages"],
    queryFn: ({ pageParam: lastValue, signal }) =>
      rpc.conversations.listTasks.query({ ...call, lastValue }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ hasMore, lastValue }) => (hasMore ? (lastValue ?? undefined) : undefined),
  });
  const cancelling = useMutation({
    mutationFn: async (messageIds: string[]) =>
      parley.conversations.cancel({ conversationId, messageIds }),
    onSettled: () => queryClient.invalidateQueries(trpc.conversations.pathFilter()),
  });
  const tasks = listed.data?.pages.flatMap((page) => page.tasks) ?? [];
  if (tasks.length === 0) return null;
  const open = tasks.filter(({ status }) => status === "created");
  const ofConversation = (task: Task) =>
    task.path.findLast((above) => above.conversationId === conversationId)?.messageId ?? [];
  const answerIds = [...new Set(open.flatMap(ofConversation))];
  const tops = tasks.filter(({ path }) => path.at(-1)?.conversationId === conversationId);
  return (
    <details className="my-2 text-sm">
      <summary className="cursor-pointer text-muted">
        {tasks.length} {tasks.length === 1 ? "task" : "tasks"} of other agents
        {open.length > 0 && `, ${open.length} under way`}
      </summary>
      <TaskList tasks={tops} all={tasks} />
      {cancelling.error && <ErrorNotice error={cancelling.error} />}
      <p className="my-2 flex gap-2">
        {listed.hasNextPage && (
          <Button isBusy={listed.isFetchingNextPage} onClick={() => void listed.fetchNextPage()}>
            Load more
          </Button>
        )}
        {canWrite && answerIds.length > 0 && (
          <Button isBusy={cancelling.isPending} onClick={() => cancelling.mutate(answerIds)}>
            Cancel all
          </Button>
        )}
      </p>
    </details>
  );
}

function TaskList({
  tasks,
  all,
}: {
  readonly tasks: readonly Task[];
  readonly all: readonly Task[];
}) {
  if (tasks.length === 0) return null;
  return (
    <ul className="ml-4 grid list-disc gap-1">
      {tasks.map((task) => (
        <li key={task.messageId} className="min-w-0">
          <span className="flex flex-wrap items-center gap-2">
            <Link
              to="/conversations/$conversationId"
              params={{ conversationId: task.conversationId }}
              className="font-medium underline"
            >
              {task.agentName}
            </Link>
            <StatusBadge status={task.status} />
            {task.actionRequired && <span>waits for a person</span>}
            <span className="text-muted">
              {task.finishedAt !== null && formatDuration(task.finishedAt - task.createdAt)}
              {task.cost && ` · ${formatCost(task.cost)}`}
            </span>
          </span>
          <span className="block truncate text-muted">{task.title}</span>
          <TaskList
            tasks={all.filter(({ path }) => path.at(-1)?.messageId === task.messageId)}
            all={all}
          />
        </li>
      ))}
    </ul>
  );
}
