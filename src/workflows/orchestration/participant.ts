import { CancellationScope } from '@temporalio/workflow';
import { actionTemperature, ReAct } from '../agent/react.ts';
import { runCalls, type LoopContext } from '../agent/loop-context.ts';
import type { Reply, ReplyCall } from '../../protocol/model-call.ts';
import { notRun, teamActionPrompt } from '../agent/prompts.ts';
import { temperatureAfter } from '../agent/simple-tool.ts';
import type { Asker } from '../ask-others/broadcast.ts';
import type { AskCall } from '../ask-others/ask-call.ts';
import { CustomTurn, type CustomSettings } from '../custom-code/custom-turn.ts';
import { loadHandleText, runCustomTurn } from '../custom-code/run.ts';
import { storeTexts } from '../agent/text-refs.ts';
import {
  isIn,
  whenOf,
  type Attempt,
  type GivenAnswer,
  type OrchestrationContext,
  type Participant,
} from './context.ts';

/** An agent's next reply, thought over as its loop does: `react` observes what it has learnt, thinks, then acts. */
export async function nextReply(
  context: OrchestrationContext,
  attempt: Attempt,
  participant: Participant,
): Promise<Reply> {
  const loop = loopContextOf(context, attempt, participant);
  const { orchestrator } = participant.teamAgent;
  const purpose = {
    what: attempt.phase === 'voting' ? ('vote' as const) : ('answer' as const),
    when: loop.when,
    timeout: loop.timeout,
  };
  if (orchestrator.kind !== 'react') {
    return participant.agent.reply(purpose, loop.tools, stressOf(participant));
  }
  const phases = new ReAct(loop, orchestrator);
  if (participant.hasLearnt) await phases.observe();
  participant.hasLearnt = false;
  await phases.think();
  participant.agent.tell({ role: 'system', content: orchestrator.action_prompt ?? teamActionPrompt });
  return participant.agent.reply(purpose, loop.tools, actionTemperature);
}

/**
 * The answer of an agent that works by a custom orchestrator, which gets the task, with why the team starts over. It
 * votes reply by reply, as any other agent does.
 *
 * @throws see `runCustomTurn`
 */
export async function customAnswer(
  context: OrchestrationContext,
  attempt: Attempt,
  participant: Participant,
  settings: CustomSettings,
): Promise<GivenAnswer> {
  const { millisecondsLeft, teamAgent } = participant;
  const { backend, id, persona, tools } = teamAgent;
  const handleText = await loadHandleText(settings.module);
  const turn = new CustomTurn(context, {
    settings,
    persona: { id, text: persona, backend },
    tools,
    asker: participant.asker,
    others: othersOf(attempt, participant),
    say: (text) => context.events.emit({ type: 'says', agent: id, text, last: false }),
    history: await context.plain.history(),
    when: whenOf(attempt),
    callTimeout: millisecondsLeft,
  });
  const content = await runCustomTurn(turn, handleText, attempt.brief, millisecondsLeft);
  const [text = content] = await storeTexts([content]);
  return { content, text };
}

/** Failed calls of tools raise the temperature of what the agent was configured with. */
function stressOf({ failures, teamAgent }: Participant): number | undefined {
  if (failures === 0) return teamAgent.backend.temperature;
  return temperatureAfter(failures + Math.round((teamAgent.backend.temperature ?? 0) * 10));
}

/**
 * Begins what a reply asks for: questions, and tools of the world. It belongs to the attempt, so that a round of voting
 * that starts again does not end it: providers want a result for every call.
 */
export function startWork(
  context: OrchestrationContext,
  attempt: Attempt,
  participant: Participant,
  asks: AskCall[],
  uses: ReplyCall[],
): void {
  participant.state = asks.length > 0 ? 'asking' : 'using_tools';
  participant.busy = attempt.scope.run(async () => {
    const [reached, used] = await Promise.all([
      asks.length > 0 && ask(context, attempt, participant, asks),
      uses.length > 0 && useTools(context, attempt, participant, uses),
    ]);
    if (!reached && !used) participant.strikes += 1;
    participant.hasLearnt = true;
    participant.busy = undefined;
  });
  // Whoever waits for it is told; an attempt that ends has nobody who does.
  participant.busy.catch(() => {});
}

/** Waits for that, or for the end of the round. */
export async function finished(busy: Promise<void>): Promise<void> {
  await Promise.race([busy, CancellationScope.current().cancelRequested]);
}

async function ask(
  { broadcast }: OrchestrationContext,
  attempt: Attempt,
  participant: Participant,
  asks: AskCall[],
): Promise<boolean> {
  const others = othersOf(attempt, participant);
  return (await broadcast?.answerCalls(participant.asker, asks, others, whenOf(attempt))) ?? false;
}

const othersOf = ({ participants }: Attempt, participant: Participant): Asker[] =>
  participants.filter((other) => other !== participant && isIn(other)).map(({ asker }) => asker);

/** @returns false where the agent had used tools so often in this turn that it was refused */
async function useTools(
  context: OrchestrationContext,
  attempt: Attempt,
  participant: Participant,
  uses: ReplyCall[],
): Promise<boolean> {
  participant.toolRounds += 1;
  if (participant.toolRounds >= roundLimit(participant)) {
    for (const { id } of uses) participant.agent.answerCall(id, notRun);
    return false;
  }
  const { orchestrator } = participant.teamAgent;
  const parallel = orchestrator.kind === 'simple_tool' && orchestrator.parallel;
  const answers = await runCalls(loopContextOf(context, attempt, participant), uses, parallel);
  participant.failures += answers.filter(({ status }) => status !== 'ok').length;
  return true;
}

function roundLimit({ teamAgent: { orchestrator } }: Participant): number {
  if (orchestrator.kind === 'react') return orchestrator.max_iterations;
  return orchestrator.kind === 'simple_tool' ? orchestrator.max_thoughts : Infinity;
}

function loopContextOf(context: OrchestrationContext, attempt: Attempt, participant: Participant): LoopContext {
  const { id, orchestrator, tools } = participant.teamAgent;
  const isCustom = orchestrator.kind === 'custom';
  return {
    agent: participant.agent,
    tools: (isCustom ? undefined : tools?.set) ?? context.toolSets.coordination,
    run: (call) => {
      if (tools === undefined) throw new TypeError(`${id} has no tools`);
      return tools.call(call);
    },
    say: (text) => context.events.emit({ type: 'says', agent: id, text, last: false }),
    when: whenOf(attempt),
    timeout: participant.millisecondsLeft,
  };
}
