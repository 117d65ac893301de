import { call } from '../../test/support/agent-script.ts';
import { hasAsked } from '../../test/support/asking.ts';
import type { Script, Scripted, Seen } from '../../test/support/model-server.ts';
import { criticism, plan, reportOn, researchScript } from '../../test/support/research-script.ts';
import { completed, failed, solveScript, subtasks } from '../../test/support/solve-script.ts';
import { answer, ask, restart, submit, teamScript, vote, type TeamRequest } from '../../test/support/team-script.ts';
import { runOfId, type PlannedRun, type RunKind, type Task } from './plan.ts';

/** What the text of a run, and of a turn, says for the script to know them again. */
export const taskText = (id: string): string => `Run ${id}.`;
export const turnText = (id: string, turn: number): string => `Run ${id}. Turn ${turn}.`;

/** The id of the run that a request belongs to. */
export const runOfRequest = ({ prompt }: Seen): string | undefined => /\bRun ([a-z]+-\d+)\./.exec(prompt)?.[1];

/** What a well-behaved model says to a request. It depends on the request alone, which may come twice. */
export async function replyTo(seed: number, seen: Seen): Promise<Scripted> {
  const id = runOfRequest(seen);
  if (id === undefined) return { status: 400, errorBody: '{"error":{"message":"The request names no run"}}' };
  const run = runOfId(seed, id);
  return scripts[run.kind](run)(seen);
}

const scripts: Record<RunKind, (run: PlannedRun) => Script> = {
  team: (run) =>
    teamScript({
      answer: (request) =>
        worksOff(run.tasks[0], `${run.id} ${request.agent} ${request.attempt}`, request) ?? answerOf(request),
      decide: ({ attempt }) => (run.restarts && attempt === 1 ? restart('Too short.', 'More.') : submit()),
    }),
  peers: (run) =>
    teamScript({
      answer: (request) =>
        request.agent === 'agent_a' && !hasAsked(request) ? ask(`What does ${run.id} need?`) : answerOf(request),
      vote: ({ agent }) => vote(agent === 'agent_c' && run.restarts ? 'agent2' : 'agent1'),
    }),
  chat: (run) => (seen) => {
    const { number, rest } = turnOf(seen);
    const task = run.tasks[number - 1];
    return worksOff(task, `${run.id} turn ${number}`, rest) ?? { text: `Done with turn ${number}.` };
  },
  react: (run) => (seen) => {
    const { number, rest } = turnOf(seen);
    const thoughts = rest.messages.filter(({ role, calls }) => role === 'assistant' && calls.length === 0).length;
    if (thoughts === 0) return { text: 'What is to be done?' };
    const act = worksOff(run.tasks[number - 1], `${run.id} turn ${number}`, rest);
    return act ?? { text: `FINAL_ANSWER: Done with turn ${number}.` };
  },
  solve: (run) =>
    solveScript({
      plan: () => subtasks('step_1', 'step_2', { id: 'step_3', depends_on: ['step_1', 'step_2'] }),
      work(request) {
        const { id, prompt } = request;
        if (id === 'step_2' && run.restarts && !prompt.includes('It failed before')) return failed('Not found.');
        const task = id === 'step_1' && run.tasks[0] !== 'ask' ? run.tasks[0] : 'say';
        return worksOff(task, `${run.id} ${id}`, request) ?? completed(`Result of ${id}.`);
      },
    }),
  study: (run) =>
    researchScript({
      plan: ({ iteration }) => plan(`${taskText(run.id)} Plan ${iteration}`, ['heat maps of old towns']),
      criticise: ({ idea }) => criticism(run.restarts && idea.endsWith('Plan 1') ? 20 : 72),
      synthesise: reportOn,
    }),
};

const answerOf = ({ agent, attempt }: TeamRequest): Scripted => answer(`Answer of ${agent} in attempt ${attempt}.`);

type Conversation = Pick<Seen, 'messages' | 'prompt'>;

/**
 * The call that a task takes, where the conversation does not have it yet. A booking that fails or is left open is not made
 * again, since the model would then be the one who has it done twice.
 *
 * @param operation names what is booked
 */
function worksOff(task: Task | undefined, operation: string, conversation: Conversation): Scripted | undefined {
  if (task === 'ask') return hasAsked(conversation as Seen) ? undefined : ask(`What about ${operation}?`);
  if (task !== 'book' && task !== 'book_by_key') return undefined;
  return conversation.messages.some(({ calls }) => calls.includes(task)) ? undefined : call(task, { operation });
}

/** The turn that a session's request belongs to, and the conversation since then. */
function turnOf({ messages }: Seen): { number: number; rest: Conversation } {
  const start = messages.findLastIndex(({ role, text }) => role === 'user' && /Run \S+ Turn \d+\./.test(text));
  const number = Number(/Turn (\d+)\./.exec(messages[start]?.text ?? '')?.[1] ?? 1);
  const rest = messages.slice(start + 1);
  return { number, rest: { messages: rest, prompt: rest.map(({ text }) => text).join('\n') } };
}
