import { isCancellation, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import { CustomTurn } from '../custom-code/custom-turn.ts';
import { isBudgetSpent } from '../agent/failures.ts';
import { Hands } from '../agent/agent-tools.ts';
import { storeTexts } from '../agent/text-refs.ts';
import type { OrchestratorSettings } from '../../config/orchestrators.ts';
import { answerOf, failureOf } from '../custom-code/ending.ts';
import { loadOrInvalid } from '../session/custom-turns.ts';
import { whenOf, type Attempt, type Run } from './context.ts';
import type { GivenAnswer, Member } from './participant.ts';
import { withinTime } from '../runtime/time-limit.ts';
import { watched } from '../custom-code/guard.ts';

const { readTools } = proxyLocalActivities<Activities>({ startToCloseTimeout: '30 seconds' });

type Settings = Extract<OrchestratorSettings, { kind: 'custom' }>;

/**
 * The answer of a team's agent that works by a file of the user's own: `handleText` gets the task, with why the team
 * starts over. Votes are cast reply by reply, as by any other agent.
 *
 * @throws `ApplicationFailure` that names the file; `BudgetSpent`; `CancelledFailure`
 */
export async function customAnswer(
  run: Run,
  attempt: Attempt,
  member: Member,
  { module, config }: Settings,
): Promise<GivenAnswer> {
  const { id, backend, persona, toolbox } = member.seat;
  const handleText = await loadOrInvalid(module);
  const when = whenOf(attempt);
  const emit = run.events.emit.bind(run.events);
  const others = attempt.members.filter((other) => other !== member && other.out === undefined);
  const colleagues = others.map(({ colleague }) => colleague);
  const hands = toolbox && new Hands(toolbox, run.broadcast, member.colleague, colleagues);
  const turn = new CustomTurn({
    persona: { id, text: persona, backend },
    caller: run.caller,
    tools: toolbox?.set ?? null,
    listTools: () => readTools(toolbox?.set ?? null),
    run: (call) => {
      if (hands === undefined) throw new TypeError(`${id} has no tools`);
      return hands.run(call, when);
    },
    say: (text) => emit({ type: 'says', agent: id, text, last: false }),
    history: await run.plain.history(),
    config,
    when,
    timeout: member.millisecondsLeft,
  });
  try {
    const returned = await watched(module, () =>
      withinTime(member.millisecondsLeft, async () => handleText(attempt.brief, turn.context)),
    );
    const content = answerOf(returned, turn, module);
    const [text = content] = await storeTexts([content]);
    return { content, text };
  } catch (error) {
    if (isCancellation(error) || isBudgetSpent(error)) throw error;
    throw failureOf(error, module);
  } finally {
    turn.end();
  }
}
