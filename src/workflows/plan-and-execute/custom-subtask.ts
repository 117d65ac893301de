import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import { CustomTurn } from '../custom-code/custom-turn.ts';
import { isBudgetSpent } from '../agent/failures.ts';
import { Hands } from '../agent/agent-tools.ts';
import { Agent } from '../agent/agent.ts';
import { storeTexts } from '../agent/text-refs.ts';
import type { OrchestratorSettings } from '../../config/orchestrators.ts';
import { subtaskMessage, type SubtaskBrief } from './prompts.ts';
import { answerOf, failureOf } from '../custom-code/ending.ts';
import { loadOrInvalid } from '../session/custom-turns.ts';
import { withinTime } from '../runtime/time-limit.ts';
import { watched } from '../custom-code/guard.ts';
import { callTimeout, whenOf, type Job } from './context.ts';
import type { Finish } from './subtask.ts';

const { readTools } = proxyLocalActivities<Activities>({ startToCloseTimeout: '30 seconds' });

type Settings = Extract<OrchestratorSettings, { kind: 'custom' }>;

/**
 * A subtask that is carried out by a file of the user's own: `handleText` gets what an agent would be told, and what it
 * returns is the result.
 *
 * @throws `ApplicationFailure` that names the file; `BudgetSpent`; `CancelledFailure`
 */
export async function customSubtask(
  job: Job,
  id: string,
  brief: SubtaskBrief,
  { config, module }: Settings,
): Promise<Finish> {
  const { broadcast, caller, events, problem, settings, subtasks } = job;
  const handleText = await loadOrInvalid(module);
  const persona = { id, text: undefined, backend: settings.backends.executor };
  const toolbox = job.toolbox.of(id);
  const agent = new Agent(persona, caller, { system: undefined, transcript: null, messages: [] });
  const when = whenOf(job);
  const hands = new Hands(toolbox, broadcast, { id, agent, conversation: `${id} ${when}`, asking: 0 });
  const turn = new CustomTurn({
    persona,
    caller,
    tools: toolbox.set,
    listTools: () => readTools(toolbox.set),
    run: (call) => hands.run(call, when),
    say: (text) => events.emit({ type: 'says', agent: id, text, last: false }),
    history: [],
    config,
    when,
    timeout: callTimeout,
  });
  const known = new Map(subtasks.report().map((each) => [each.id, each.result ?? '']));
  const results = brief.results.map((each) => ({ ...each, result: known.get(each.id) ?? '' }));
  const text = [subtaskMessage({ ...brief, problem, results })]
    .flat()
    .filter((part) => typeof part === 'string')
    .join('');
  try {
    const returned = await watched(module, () =>
      withinTime(callTimeout, async () => handleText(text, turn.context)),
    );
    const result = answerOf(returned, turn, module);
    const [content = result] = await storeTexts([result]);
    return { result, content };
  } catch (error) {
    if (isBudgetSpent(error)) throw error;
    throw failureOf(error, module);
  } finally {
    turn.end();
  }
}
