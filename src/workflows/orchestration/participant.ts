import { CancellationScope } from '@temporalio/workflow';
import { actionTemperature, ReAct } from '../agent/react.ts';
import { runCalls, type LoopContext } from '../agent/loop-context.ts';
import type { Purpose } from '../agent/agent.ts';
import type { Reply, ReplyCall } from '../../protocol/model-call.ts';
import { notRun, teamActionPrompt } from '../agent/prompts.ts';
import { temperatureAfter } from '../agent/simple-tool.ts';
import type { Asker } from '../ask-others/broadcast.ts';
import type { AskCall } from '../ask-others/ask-call.ts';
import { CustomTurn, type CustomSettings } from '../custom-code/custom-turn.ts';
import { loadHandleText, runCustomTurn } from '../custom-code/run.ts';
import { storeTexts } from '../agent/text-refs.ts';
import { isIn, whenOf, type GivenAnswer, type Participant, type Participation } from './context.ts';

/** An agent's next reply. With the loop `react` the agent first observes new results and thinks, then acts. */
export async function nextReply(participation: Participation): Promise<Reply> {
  const { attempt, participant } = participation;
  const loop = loopContextOf(participation);
  const { orchestrator } = participant.teamAgent;
  const what = attempt.phase === 'voting' ? 'vote' : 'answer';
  const purpose: Purpose = { what, when: loop.when, timeout: loop.timeout };
  if (orchestrator.kind !== 'react') {
    return participant.agent.reply(purpose, { choice: 'required', temperature: temperatureOf(participant) });
  }
  const phases = new ReAct(loop, orchestrator);
  if (participant.hasLearnt) await phases.observe();
  participant.hasLearnt = false;
  await phases.think();
  participant.agent.tell({ role: 'system', content: orchestrator.action_prompt ?? teamActionPrompt });
  return participant.agent.reply(purpose, { choice: 'required', temperature: actionTemperature });
}

/**
 * The answer by a custom orchestrator, which gets the task and the reason for a restart. Such an agent votes as any other
 * agent does.
 *
 * @throws what `runCustomTurn` throws
 */
export async function customAnswer(participation: Participation, settings: CustomSettings): Promise<GivenAnswer> {
  const { context, attempt, participant } = participation;
  const { millisecondsLeft, teamAgent } = participant;
  const { backend, id, persona, tools } = teamAgent;
  const handleText = await loadHandleText(settings.module);
  const turn = new CustomTurn(context, {
    settings,
    persona: { id, text: persona, backend },
    tools,
    asker: participant.asker,
    others: othersOf(participation),
    say: (text) => context.events.emit({ type: 'says', agent: id, text, last: false }),
    history: await context.plain.history(),
    when: whenOf(attempt),
    callTimeout: millisecondsLeft,
  });
  const content = await runCustomTurn(turn, handleText, attempt.brief, millisecondsLeft);
  const [text = content] = await storeTexts([content]);
  return { content, text };
}

/** The configured temperature, raised by failed tool calls. */
function temperatureOf({ failures, teamAgent }: Participant): number | undefined {
  if (failures === 0) return teamAgent.backend.temperature;
  return temperatureAfter(failures + Math.round((teamAgent.backend.temperature ?? 0) * 10));
}

/**
 * Starts the questions and tools of a reply. They run in the attempt's scope, so that the end of a voting round does not
 * cancel them, since providers require a result for every call.
 */
export function startWork(participation: Participation, asks: AskCall[], uses: ReplyCall[]): void {
  const { attempt, participant } = participation;
  participant.state = asks.length > 0 ? 'asking' : 'using_tools';
  participant.busy = attempt.scope.run(async () => {
    const [reached, used] = await Promise.all([
      asks.length > 0 && ask(participation, asks),
      uses.length > 0 && useTools(participation, uses),
    ]);
    if (!reached && !used) participant.strikes += 1;
    participant.hasLearnt = true;
    participant.busy = undefined;
  });
  // `finished` rethrows a failure. When the attempt has ended meanwhile, nobody awaits it.
  participant.busy.catch(() => {});
}

/** Waits for the questions and tools that `startWork` has started. @throws `CancelledFailure` when the round ends first */
export async function finished(busy: Promise<void>): Promise<void> {
  await Promise.race([busy, CancellationScope.current().cancelRequested]);
}

async function ask(participation: Participation, asks: AskCall[]): Promise<boolean> {
  const { context, attempt, participant } = participation;
  const others = othersOf(participation);
  return (await context.broadcast?.answerCalls(participant.asker, asks, others, whenOf(attempt))) ?? false;
}

const othersOf = ({ attempt, participant }: Participation): Asker[] =>
  attempt.participants.filter((other) => other !== participant && isIn(other)).map(({ asker }) => asker);

/** @returns false when the calls were refused because the agent has used tools too often since its last action */
async function useTools(participation: Participation, uses: ReplyCall[]): Promise<boolean> {
  const { participant } = participation;
  participant.toolRounds += 1;
  if (participant.toolRounds >= roundLimit(participant)) {
    for (const { id } of uses) participant.agent.answerCall(id, notRun);
    return false;
  }
  const { orchestrator } = participant.teamAgent;
  const parallel = orchestrator.kind === 'simple_tool' && orchestrator.parallel;
  const answers = await runCalls(loopContextOf(participation), uses, parallel);
  participant.failures += answers.filter(({ status }) => status !== 'ok').length;
  return true;
}

function roundLimit({ teamAgent: { orchestrator } }: Participant): number {
  if (orchestrator.kind === 'react') return orchestrator.max_iterations;
  return orchestrator.kind === 'simple_tool' ? orchestrator.max_thoughts : Infinity;
}

function loopContextOf({ context, attempt, participant }: Participation): LoopContext {
  const { id, tools } = participant.teamAgent;
  return {
    agent: participant.agent,
    run: (call) => {
      if (tools === undefined) throw new TypeError(`${id} has no tools`);
      return tools.call(call);
    },
    say: (text) => context.events.emit({ type: 'says', agent: id, text, last: false }),
    when: whenOf(attempt),
    timeout: participant.millisecondsLeft,
  };
}
