import { call } from '../../test/support/agent-script.ts';
import { hasAsked } from '../../test/support/asking.ts';
import type { Script, Scripted, Seen } from '../../test/support/model-server.ts';
import { criticism, plan, reportOn, researchScript } from '../../test/support/research-script.ts';
import { completed, failed, solveScript, subtasks } from '../../test/support/solve-script.ts';
import { answer, ask, restart, submit, teamScript, vote, type TeamRequest } from '../../test/support/team-script.ts';
import { looksUp, saysWhatItRead } from './look-ups.ts';
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
      answer: (request) => worksOff(run, run.tasks[0], agentIn(run, request), request) ?? answerOf(run, request),
      decide: ({ attempt }) => (run.restarts && attempt === 1 ? restart('Too short.', 'More.') : submit()),
    }),
  peers: (run) =>
    teamScript({
      answer: (request) => {
        const look = looksUp(run.looks, agentIn(run, request), request);
        if (look !== undefined) return look;
        const isDue = request.agent === 'agent_a' && !hasAsked(request);
        return isDue ? ask(`What does ${run.id} need?`) : answerOf(run, request);
      },
      vote: ({ agent }) => vote(agent === 'agent_c' && run.restarts ? 'agent2' : 'agent1'),
    }),
  chat: (run) => (seen) => {
    const { number, rest } = turnOf(seen);
    const operation = `${run.id} turn ${number}`;
    const act = worksOff(run, run.tasks[number - 1], operation, rest);
    return act ?? { text: `Done with turn ${number}. ${saysWhatItRead(operation, seen)}` };
  },
  react: (run) => (seen) => {
    const { number, rest } = turnOf(seen);
    const thoughts = rest.messages.filter(({ role, calls }) => role === 'assistant' && calls.length === 0).length;
    if (thoughts === 0) return { text: 'What is to be done?' };
    const operation = `${run.id} turn ${number}`;
    const act = worksOff(run, run.tasks[number - 1], operation, rest);
    if (act !== undefined) return seen.toolChoice === 'none' ? { text: 'There is more to be done.' } : act;
    return { text: `FINAL_ANSWER: Done with turn ${number}. ${saysWhatItRead(operation, seen)}` };
  },
  solve: (run) =>
    solveScript({
      plan: () => subtasks('step_1', 'step_2', { id: 'step_3', depends_on: ['step_1', 'step_2'] }),
      work(request) {
        const { id, prompt } = request;
        if (id === 'step_2' && run.restarts && !prompt.includes('It failed before')) return failed('Not found.');
        const task = id === 'step_1' && run.tasks[0] !== 'ask' ? run.tasks[0] : 'say';
        const operation = `${run.id} ${id}`;
        const act = worksOff(run, task, operation, request);
        return act ?? completed(`Result of ${id}. ${saysWhatItRead(operation, request)}`);
      },
    }),
  study: (run) =>
    researchScript({
      plan: ({ iteration }) => plan(`${taskText(run.id)} Plan ${iteration}`, ['heat maps of old towns']),
      criticise: ({ idea }) => criticism(run.restarts && idea.endsWith('Plan 1') ? 20 : 72),
      synthesise: reportOn,
    }),
};

/** What a member of a team is at. */
const agentIn = (run: PlannedRun, { agent, attempt }: TeamRequest): string => `${run.id} ${agent} ${attempt}`;

const answerOf = (run: PlannedRun, request: TeamRequest): Scripted =>
  answer(`Answer of ${request.agent} in attempt ${request.attempt}. ${saysWhatItRead(agentIn(run, request), request)}`);

type Conversation = Pick<Seen, 'body' | 'messages' | 'prompt' | 'tools'>;

/**
 * The calls of the quick tool, and then the call that a task takes, where the conversation does not have them yet. A booking that fails or is left open is not made
 * again, since the model would then be the one who has it done twice.
 *
 * @param operation names what is booked, and who books it
 */
function worksOff(
  { looks }: PlannedRun,
  task: Task | undefined,
  operation: string,
  conversation: Conversation,
): Scripted | undefined {
  const look = looksUp(looks, operation, conversation);
  if (look !== undefined) return look;
  if (task === 'ask') return hasAsked(conversation as Seen) ? undefined : ask(`What about ${operation}?`);
  if (task !== 'book' && task !== 'book_by_key') return undefined;
  return conversation.messages.some(({ calls }) => calls.includes(task)) ? undefined : call(task, { operation });
}

/** The turn that a session's request belongs to, and the conversation since then. */
function turnOf({ body, messages, tools }: Seen): { number: number; rest: Conversation } {
  const start = messages.findLastIndex(({ role, text }) => role === 'user' && /Run \S+ Turn \d+\./.test(text));
  const number = Number(/Turn (\d+)\./.exec(messages[start]?.text ?? '')?.[1] ?? 1);
  const rest = messages.slice(start + 1);
  return { number, rest: { body, tools, messages: rest, prompt: rest.map(({ text }) => text).join('\n') } };
}
