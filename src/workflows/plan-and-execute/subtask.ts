import { Agent } from '../agent/agent.ts';
import { failureReason } from '../agent/failures.ts';
import { runCall } from '../agent/agent-tools.ts';
import { loopOf, type LoopSettings } from '../agent/loops.ts';
import { Refusals } from '../agent/refusals.ts';
import { textRef, storeTexts } from '../agent/text-refs.ts';
import { replyBy, teamActionPrompt } from '../agent/prompts.ts';
import { refused, type ToolAnswer, type ToolExecutor } from '../agent/tool-executor.ts';
import type { AgentWorkspace } from '../agent/workspace.ts';
import type { Attachment } from '../../protocol/attachment.ts';
import type { Text } from '../../protocol/message.ts';
import type { ReplyCall, ToolCallSummary } from '../../protocol/model-call.ts';
import { CustomTurn, type CustomSettings } from '../custom-code/custom-turn.ts';
import { loadHandleText } from '../custom-code/load.ts';
import { cutToBytes, jsonBytes } from '../runtime/size.ts';
import { callTimeout, resultsOf, subtaskOf, whenOf, type PlanContext } from './context.ts';
import { askToFinish, carryOut, subtaskMessage, usesText, type SubtaskBrief } from './prompts.ts';
import { finishTool } from './tools.ts';

/** How a subtask has ended. `content`: the result as prompts repeat it, a reference if it is long. */
type Finish = { result: string; content: Text } | { error: string };

/** Thrown where a call ends a subtask, to end its loop too. */
class SubtaskEndedError extends Error {
  readonly finish: Finish;

  constructor(finish: Finish) {
    super('The subtask is finished');
    this.finish = finish;
  }
}

/** In bytes: the results that a subtask depends on, and what an agent said where it says no result. */
const resultsBytes = 100_000;
const saidBytes = 3000;

/** How many bytes are kept of a tool call's arguments and of its result, and of all calls for another try. */
const maxChars = { input: 300, result: 1500, digest: 12_000 };

/**
 * Has a new agent carry out a subtask.
 *
 * @param failure why it failed before; undefined if it has not run yet
 * @throws `ApplicationFailure` of type `BudgetSpent`; `CancelledFailure`
 */
export async function carryOutSubtask(
  context: PlanContext,
  id: string,
  failure: string | undefined,
  workspace: AgentWorkspace | undefined,
): Promise<Finish> {
  const { orchestrator } = context.settings;
  const tools = context.tools.of(id, workspace);
  try {
    const brief = await briefOf(context, id, failure);
    if (orchestrator.kind === 'custom') return await customSubtask(context, id, brief, tools, orchestrator);
    return await loop(context, id, brief, tools, orchestrator);
  } catch (error) {
    return error instanceof SubtaskEndedError ? error.finish : { error: failureReason(error) };
  }
}

async function loop(
  context: PlanContext,
  id: string,
  brief: SubtaskBrief,
  tools: ToolExecutor,
  settings: LoopSettings,
): Promise<Finish> {
  const { broadcast, models, conversations, events, stored, uses } = context;
  const images = brief.attachments.flatMap(({ image }) => image ?? []);
  const persona = { id, text: undefined, backend: context.settings.backends.executor };
  const agent = new Agent(persona, models, {
    system: stored.instructions.executor,
    tools: tools.set,
    quick: () => tools.quick(settings.kind === 'simple_tool' && settings.parallel),
    transcript: null,
    messages: [],
  });
  agent.tell({ role: 'user', content: subtaskMessage(brief), ...(images.length > 0 && { images }) });
  conversations.set(id, agent);
  const conversation = `${id} ${subtaskOf(context, id).executions}`;
  const when = whenOf(context);
  const caller = { tools, broadcast, asker: { id, agent, conversation, asking: 0 }, when };
  const run = async (call: ReplyCall): Promise<ToolAnswer> => {
    if (call.name === finishTool.name && 'input' in call) return finish(agent, call, call.input);
    const answer = await runCall(caller, call);
    if (tools.has(call.name)) uses.set(id, [...(uses.get(id) ?? []), useOf(answer)]);
    return answer;
  };
  const refusals = new Refusals();
  const { answer, limited } = await loopOf(withActions(settings))(
    {
      agent,
      run,
      ending: [finishTool.name],
      refusals,
      warn: (text) => context.warn(text, id),
      say: (text, last = false) => events.emit({ type: 'says', agent: id, text, last }),
      when,
      timeout: callTimeout,
    },
    carryOut(id),
  );
  const said = cutToBytes(answer, saidBytes);
  const why = refusals.end ?? 'its agent reached its limit without a result';
  if (limited) return { error: `${why}; it said last: ${said}` };
  await askForFinish(agent, when, run);
  return { error: `its agent gave a text and not ${finishTool.name}: ${said}` };
}

/** An action of the loop `react` ends the subtask by a tool too, and not by its marker of a final answer. */
const withActions = (settings: LoopSettings): LoopSettings =>
  settings.kind === 'react' ? { action_prompt: teamActionPrompt, ...settings } : settings;

/** Asks for the call that ends a subtask, once more where it cannot be taken. @throws `SubtaskEndedError` if there is one */
async function askForFinish(agent: Agent, when: string, run: (call: ReplyCall) => Promise<ToolAnswer>): Promise<void> {
  agent.tell({ role: 'user', content: askToFinish });
  const options = { choice: { oneOf: [finishTool.name] }, bySchema: [finishTool.name] };
  for (let tries = 0; tries < 2; tries++) {
    const { calls } = await agent.reply({ what: 'reply', when, timeout: callTimeout }, options);
    if (calls.length === 0) return;
    for (const call of calls) {
      const answer = call.name === finishTool.name ? (await run(call)).content : replyBy(finishTool.name);
      agent.answerCall(call.id, answer);
    }
  }
}

const useOf = ({ call, status, text }: ToolAnswer): ToolCallSummary => ({
  tool: call.name,
  input: cutToBytes('input' in call ? JSON.stringify(call.input) : '', maxChars.input),
  status,
  text: cutToBytes(text, maxChars.result),
});

function foundBy(uses: ToolCallSummary[]): string {
  let bytes = 0;
  const last = uses.toReversed().filter((use) => (bytes += jsonBytes(use)) <= maxChars.digest);
  return usesText(last.toReversed());
}

/**
 * Gives a custom orchestrator the message that an agent would get, with references replaced by what they refer to.
 *
 * @throws what `CustomTurn.run` throws
 */
async function customSubtask(
  context: PlanContext,
  id: string,
  brief: SubtaskBrief,
  tools: ToolExecutor,
  settings: CustomSettings,
): Promise<Finish> {
  const { events, models, problem, settings: plan } = context;
  const handleText = await loadHandleText(settings.module);
  const persona = { id, text: undefined, backend: plan.backends.executor };
  const agent = new Agent(persona, models, { system: undefined, tools: null, transcript: null, messages: [] });
  const when = whenOf(context);
  const turn = new CustomTurn(context, {
    settings,
    persona,
    tools,
    asker: { id, agent, conversation: `${id} ${when}`, asking: 0 },
    say: (text) => events.emit({ type: 'says', agent: id, text, last: false }),
    history: [],
    when,
    callTimeout,
  });
  const results = brief.results.map((each) => ({ ...each, result: each.text }));
  const text = [subtaskMessage({ ...brief, problem, results })]
    .flat()
    .filter((part) => typeof part === 'string')
    .join('');
  const result = await turn.run(handleText, text, callTimeout);
  const [content = result] = await storeTexts([result]);
  return { result, content };
}

/** Takes a call of `finish_subtask`. @throws `SubtaskEndedError` unless the call says no result, and is told so */
function finish(agent: Agent, call: ReplyCall, input: Record<string, unknown>): ToolAnswer {
  const said = (key: string): string => (typeof input[key] === 'string' ? input[key].trim() : '');
  const result = said('result');
  if (input['status'] === 'failed')
    throw new SubtaskEndedError({ error: said('reason') || result || 'its agent gave no reason' });
  if (result === '') return refused(call, 'a completed subtask has a result');
  const place = { segment: agent.transcript?.id ?? '', call: { id: call.id, argument: 'result' } };
  throw new SubtaskEndedError({ result, content: textRef(result, place) });
}

async function briefOf(context: PlanContext, id: string, failure: string | undefined): Promise<SubtaskBrief> {
  const { attachments, stored, subtasks, uses } = context;
  const { attachments: wanted, dependsOn, description } = subtaskOf(context, id);
  const isWanted = ({ name }: Attachment): boolean => wanted === undefined || wanted.includes(name);
  const digest = failure === undefined ? '' : foundBy(uses.get(id) ?? []);
  const [found = ''] = digest === '' ? [] : await storeTexts([digest]);
  return {
    id,
    description,
    problem: stored.problem,
    attachments: attachments.filter(isWanted),
    results: await resultsOf(context, resultsBytes, dependsOn),
    failure,
    found,
    deadEnds: subtasks.deadEnds,
  };
}
