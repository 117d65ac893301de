import { ActivityFailure, ApplicationFailure, isCancellation } from '@temporalio/workflow';
import { Agent } from '../agent/agent.ts';
import { callFailure, isBudgetSpent } from '../agent/failures.ts';
import { Hands } from '../agent/agent-tools.ts';
import { loopOf } from '../agent/loops.ts';
import { quote, storeTexts } from '../agent/text-refs.ts';
import type { ToolAnswer } from '../agent/tool-executor.ts';
import type { Attachment } from '../../protocol/attachment.ts';
import type { Text } from '../../protocol/message.ts';
import type { ReplyCall } from '../../protocol/model-call.ts';
import { carryOut, subtaskMessage, type SubtaskBrief } from './prompts.ts';
import { finishTool } from './tools.ts';
import { customSubtask } from './custom-subtask.ts';
import { callTimeout, resultsOf, subtaskOf, whenOf, type Job } from './context.ts';

/** How a subtask has ended. */
export type Finish = { result: string; content: Text } | { error: string };

/** An agent has ended its subtask: its loop goes no further. */
class Finished extends Error {
  readonly finish: Finish;

  constructor(finish: Finish) {
    super('The subtask is finished');
    this.finish = finish;
  }
}

/** Has an agent of its own carry out a subtask. @throws `BudgetSpent`; `CancelledFailure` */
export async function carryOutSubtask(job: Job, id: string, failure: string | undefined): Promise<Finish> {
  const { orchestrator } = job.settings;
  const brief = briefOf(job, id, failure);
  try {
    if (orchestrator.kind === 'custom') return await customSubtask(job, id, brief, orchestrator);
    return await loop(job, id, brief);
  } catch (error) {
    if (error instanceof Finished) return error.finish;
    if (isCancellation(error) || isBudgetSpent(error)) throw error;
    if (error instanceof ActivityFailure || error instanceof ApplicationFailure)
      return { error: callFailure(error).reason };
    throw error;
  }
}

async function loop(job: Job, id: string, brief: SubtaskBrief): Promise<Finish> {
  const { broadcast, caller, conversations, events, settings, stored } = job;
  const images = brief.attachments.flatMap(({ image }) => image ?? []);
  const opening = {
    role: 'user' as const,
    content: subtaskMessage(brief),
    ...(images.length > 0 && { images }),
  };
  const persona = { id, text: undefined, backend: settings.backends.executor };
  const agent = new Agent(persona, caller, {
    system: stored.duties.executor,
    transcript: null,
    messages: [opening],
  });
  conversations.set(id, agent);
  const toolbox = job.toolbox.of(id);
  const conversation = `${id} ${subtaskOf(job, id).executions}`;
  const hands = new Hands(toolbox, broadcast, { id, agent, conversation, asking: 0 });
  const when = whenOf(job);
  const { answer, limited } = await loopOf(settings.orchestrator)(
    {
      agent,
      tools: toolbox.set,
      run: async (call) =>
        call.name === finishTool.name && 'input' in call
          ? finish(agent, call, call.input)
          : hands.run(call, when),
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

/** @throws `Finished` where the call says how the subtask ends */
function finish(agent: Agent, call: ReplyCall, input: Record<string, unknown>): ToolAnswer {
  const said = (key: string): string => (typeof input[key] === 'string' ? input[key].trim() : '');
  if (input['status'] === 'failed')
    throw new Finished({ error: said('reason') || said('result') || 'its agent gave no reason' });
  const result = said('result');
  if (result !== '') {
    const segment = agent.transcript?.id ?? '';
    throw new Finished({
      result,
      content: quote(result, { segment, call: { id: call.id, argument: 'result' } }),
    });
  }
  const text = 'Error: a completed subtask has a result';
  return { call, status: 'error', text, content: text };
}

function briefOf(job: Job, id: string, failure: string | undefined): SubtaskBrief {
  const { attachments, stored, subtasks } = job;
  const { attachments: wanted, dependsOn, description } = subtaskOf(job, id);
  const isWanted = ({ name }: Attachment): boolean => wanted === undefined || wanted.includes(name);
  return {
    id,
    description,
    problem: stored.problem,
    attachments: attachments.filter(isWanted),
    results: resultsOf(job, dependsOn),
    failure,
    deadEnds: subtasks.deadEnds,
  };
}
