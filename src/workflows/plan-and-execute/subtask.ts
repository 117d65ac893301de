import { Agent } from '../agent/agent.ts';
import { failureReason } from '../agent/failures.ts';
import { AgentTools } from '../agent/agent-tools.ts';
import { loopOf } from '../agent/loops.ts';
import { textRef, storeTexts } from '../agent/text-refs.ts';
import type { ToolAnswer } from '../agent/tool-executor.ts';
import type { Attachment } from '../../protocol/attachment.ts';
import type { Text } from '../../protocol/message.ts';
import type { ReplyCall } from '../../protocol/model-call.ts';
import { CustomTurn, type CustomSettings } from '../custom-code/custom-turn.ts';
import { loadHandleText, runCustomTurn } from '../custom-code/run.ts';
import { carryOut, finishTool, subtaskMessage, type SubtaskBrief } from './prompts.ts';
import { callTimeout, resultsOf, subtaskOf, whenOf, type PlanContext } from './context.ts';

/** How a subtask has ended. `content`: the result as prompts repeat it, a reference if it is long. */
type Finish = { result: string; content: Text } | { error: string };

/** Thrown when an agent ends its subtask by a call, which must end the agent's loop too. */
class SubtaskEndedError extends Error {
  readonly finish: Finish;

  constructor(finish: Finish) {
    super('The subtask is finished');
    this.finish = finish;
  }
}

/**
 * Has a new agent carry out a subtask.
 *
 * @param failure why the subtask failed before; undefined if it has not run yet
 * @throws `ApplicationFailure` of type `BudgetSpent`; `CancelledFailure`
 */
export async function carryOutSubtask(context: PlanContext, id: string, failure: string | undefined): Promise<Finish> {
  const { orchestrator } = context.settings;
  const brief = briefOf(context, id, failure);
  try {
    if (orchestrator.kind === 'custom') return await customSubtask(context, id, brief, orchestrator);
    return await loop(context, id, brief);
  } catch (error) {
    return error instanceof SubtaskEndedError ? error.finish : { error: failureReason(error) };
  }
}

async function loop(context: PlanContext, id: string, brief: SubtaskBrief): Promise<Finish> {
  const { broadcast, models, conversations, events, settings, stored } = context;
  const images = brief.attachments.flatMap(({ image }) => image ?? []);
  const persona = { id, text: undefined, backend: settings.backends.executor };
  const tools = context.tools.of(id);
  const agent = new Agent(persona, models, {
    system: stored.instructions.executor,
    tools: tools.set,
    transcript: null,
    messages: [],
  });
  agent.tell({ role: 'user', content: subtaskMessage(brief), ...(images.length > 0 && { images }) });
  conversations.set(id, agent);
  const conversation = `${id} ${subtaskOf(context, id).executions}`;
  const agentTools = new AgentTools(tools, broadcast, { id, agent, conversation, asking: 0 });
  const when = whenOf(context);
  const { answer, limited } = await loopOf(settings.orchestrator)(
    {
      agent,
      run: async (call) =>
        call.name === finishTool.name && 'input' in call ? finish(agent, call, call.input) : agentTools.run(when, call),
      say: (text, last = false) => events.emit({ type: 'says', agent: id, text, last }),
      when,
      timeout: callTimeout,
    },
    carryOut(id),
  );
  if (limited) return { error: `its agent reached its limit without a result; it said last: ${answer}` };
  const [content = answer] = await storeTexts([answer]);
  return { result: answer, content };
}

/**
 * Has a custom orchestrator carry out a subtask. Its text is the message that an agent would get, with references
 * replaced by what they refer to, and what it returns is the result.
 *
 * @throws what `runCustomTurn` throws
 */
async function customSubtask(
  context: PlanContext,
  id: string,
  brief: SubtaskBrief,
  settings: CustomSettings,
): Promise<Finish> {
  const { events, models, problem, settings: plan, subtasks } = context;
  const handleText = await loadHandleText(settings.module);
  const persona = { id, text: undefined, backend: plan.backends.executor };
  const agent = new Agent(persona, models, { system: undefined, tools: null, transcript: null, messages: [] });
  const when = whenOf(context);
  const turn = new CustomTurn(context, {
    settings,
    persona,
    tools: context.tools.of(id),
    asker: { id, agent, conversation: `${id} ${when}`, asking: 0 },
    say: (text) => events.emit({ type: 'says', agent: id, text, last: false }),
    history: [],
    when,
    callTimeout,
  });
  const results = brief.results.map((each) => ({ ...each, result: subtasks.get(each.id)?.result ?? '' }));
  const text = [subtaskMessage({ ...brief, problem, results })]
    .flat()
    .filter((part) => typeof part === 'string')
    .join('');
  const result = await runCustomTurn(turn, handleText, text, callTimeout);
  const [content = result] = await storeTexts([result]);
  return { result, content };
}

/**
 * Takes a call of `finish_subtask`.
 *
 * @returns the answer to a call that says no result
 * @throws `SubtaskEndedError` if the call says how the subtask ends
 */
function finish(agent: Agent, call: ReplyCall, input: Record<string, unknown>): ToolAnswer {
  const said = (key: string): string => (typeof input[key] === 'string' ? input[key].trim() : '');
  if (input['status'] === 'failed')
    throw new SubtaskEndedError({ error: said('reason') || said('result') || 'its agent gave no reason' });
  const result = said('result');
  if (result !== '') {
    const place = { segment: agent.transcript?.id ?? '', call: { id: call.id, argument: 'result' } };
    throw new SubtaskEndedError({ result, content: textRef(result, place) });
  }
  const text = 'Error: a completed subtask has a result';
  return { call, status: 'error', text, content: text };
}

function briefOf(context: PlanContext, id: string, failure: string | undefined): SubtaskBrief {
  const { attachments, stored, subtasks } = context;
  const { attachments: wanted, dependsOn, description } = subtaskOf(context, id);
  const isWanted = ({ name }: Attachment): boolean => wanted === undefined || wanted.includes(name);
  return {
    id,
    description,
    problem: stored.problem,
    attachments: attachments.filter(isWanted),
    results: resultsOf(context, dependsOn),
    failure,
    deadEnds: subtasks.deadEnds,
  };
}
