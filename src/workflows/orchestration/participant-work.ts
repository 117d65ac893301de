import { CancellationScope } from '@temporalio/workflow';
import { actionTemperature, ReAct } from '../agent/react.ts';
import { runCalls, type Worker } from '../agent/loop-context.ts';
import type { Reply, ReplyCall } from '../../protocol/model-call.ts';
import { notRun, teamActionPrompt } from '../agent/prompts.ts';
import type { AskCall } from './rules/action.ts';
import { temperatureAfter } from '../agent/stress.ts';
import { whenOf, type Attempt, type Run } from './context.ts';
import type { Member } from './participant.ts';

/** An agent's next reply, thought over as its loop does: `react` observes what it has learnt, thinks, then acts. */
export async function nextReply(run: Run, attempt: Attempt, member: Member): Promise<Reply> {
  const worker = workerOf(run, attempt, member);
  const { orchestrator } = member.seat;
  const purpose = {
    what: attempt.phase === 'voting' ? ('vote' as const) : ('answer' as const),
    when: worker.when,
    timeout: worker.timeout,
  };
  if (orchestrator?.kind !== 'react') {
    return member.agent.reply(purpose, worker.tools, stressOf(member));
  }
  const phases = new ReAct(worker, orchestrator);
  if (member.hasLearnt) await phases.observe();
  member.hasLearnt = false;
  await phases.think();
  member.agent.tell({ role: 'system', content: orchestrator.action_prompt ?? teamActionPrompt });
  return member.agent.reply(purpose, worker.tools, actionTemperature);
}

/** Failed calls of tools raise the temperature of what the agent was configured with. */
function stressOf({ failures, seat }: Member): number | undefined {
  if (failures === 0) return seat.backend.temperature;
  return temperatureAfter(failures + Math.round((seat.backend.temperature ?? 0) * 10));
}

/**
 * Begins what a reply asks for: questions, and tools of the world. It belongs to the attempt, so that a round of voting
 * that starts again does not end it: providers want a result for every call.
 */
export function startWork(
  run: Run,
  attempt: Attempt,
  member: Member,
  asks: AskCall[],
  uses: ReplyCall[],
  others: Member[],
): void {
  member.state = asks.length > 0 ? 'asking' : 'using tools';
  member.busy = attempt.scope.run(async () => {
    const [reached, used] = await Promise.all([
      asks.length > 0 && ask(run, attempt, member, asks, others),
      uses.length > 0 && useTools(run, attempt, member, uses),
    ]);
    if (!reached && !used) member.strikes += 1;
    member.hasLearnt = true;
    member.busy = undefined;
  });
  // Whoever waits for it is told; an attempt that ends has nobody who does.
  member.busy.catch(() => {});
}

/** Waits for that, or for the end of the round. */
export async function finished(busy: Promise<void>): Promise<void> {
  await Promise.race([busy, CancellationScope.current().cancelRequested]);
}

async function ask(
  { broadcast }: Run,
  attempt: Attempt,
  { colleague }: Member,
  asks: AskCall[],
  others: Member[],
): Promise<boolean> {
  const colleagues = others.map((other) => other.colleague);
  return (await broadcast?.answerCalls(colleague, asks, colleagues, whenOf(attempt))) ?? false;
}

/** @returns false where the agent had used tools so often in this turn that it was refused */
async function useTools(run: Run, attempt: Attempt, member: Member, uses: ReplyCall[]): Promise<boolean> {
  member.toolRounds += 1;
  if (member.toolRounds >= roundLimit(member)) {
    for (const { id } of uses) member.agent.answerCall(id, notRun);
    return false;
  }
  const { orchestrator } = member.seat;
  const parallel = orchestrator?.kind === 'simple_tool' && orchestrator.parallel;
  const answers = await runCalls(workerOf(run, attempt, member), uses, parallel);
  member.failures += answers.filter(({ status }) => status !== 'ok').length;
  return true;
}

function roundLimit({ seat: { orchestrator } }: Member): number {
  if (orchestrator?.kind === 'react') return orchestrator.max_iterations;
  return orchestrator?.kind === 'simple_tool' ? orchestrator.max_thoughts : Infinity;
}

function workerOf(run: Run, attempt: Attempt, member: Member): Worker {
  const { id, orchestrator, toolbox } = member.seat;
  const isCustom = orchestrator?.kind === 'custom';
  return {
    agent: member.agent,
    tools: (isCustom ? undefined : toolbox?.set) ?? run.toolSets.coordination,
    run: (call) => {
      if (toolbox === undefined) throw new TypeError(`${id} has no tools`);
      return toolbox.call(call);
    },
    say: (text) => run.events.emit({ type: 'says', agent: id, text, last: false }),
    when: whenOf(attempt),
    timeout: member.millisecondsLeft,
  };
}
