import { withoutMarker } from '../agent/final-answer.ts';
import { actionTemperature, ReAct } from '../agent/react.ts';
import { announceEnd, refuseCalls, runCalls, type LoopContext } from '../agent/loop-context.ts';
import type { ReplyOptions } from '../agent/agent.ts';
import type { Purpose } from '../agent/model-caller.ts';
import type { Reply, ReplyCall, ToolCallSummary, ToolChoice } from '../../protocol/model-call.ts';
import type { OrchestratorSettings } from '../../protocol/settings.ts';
import { teamActionPrompt, toolsUnavailable } from '../agent/prompts.ts';
import { temperatureAfter } from '../agent/loops.ts';
import type { AskingAgent } from '../ask-others/broadcast.ts';
import type { AskCall } from '../ask-others/ask-call.ts';
import { CustomTurn, type CustomSettings } from '../custom-code/custom-turn.ts';
import { loadHandleText } from '../custom-code/load.ts';
import { storeTexts, textRef } from '../agent/text-refs.ts';
import type { ToolAnswer } from '../agent/tool-executor.ts';
import { isIn, whenOf, type GivenAnswer, type Participant, type Participation } from './context.ts';
import { toldToAgents } from './prompts.ts';
import { whyDebris } from './rules/debris.ts';
import { saidIn } from './rules/written-answer.ts';
import { shortened } from '../runtime/size.ts';

/** With the loop `react` an agent first observes new results and thinks, then acts. */
export async function nextReply(participation: Participation): Promise<Reply> {
  const { participant } = participation;
  const { orchestrator } = participant.teamAgent;
  const purpose = purposeOf(participation);
  if (orchestrator.kind !== 'react') {
    const temperature = temperatureOf(participant);
    const how = callingOf(participation);
    const reply = await participant.agent.reply(purpose, { temperature, ...how });
    if (reply.calls.length > 0 && how.bySchema === undefined) participant.calling = 'by_itself';
    participant.work.push(...(reply.work ?? []));
    return reply;
  }
  const phases = new ReAct(loopContextOf(participation), orchestrator);
  if (participant.hasLearnt) await phases.observe();
  participant.hasLearnt = false;
  await phases.think();
  participant.agent.tell({ role: 'system', content: orchestrator.action_prompt ?? teamActionPrompt });
  return participant.agent.reply(purpose, { choice: choiceOf(participant), temperature: actionTemperature });
}

const choiceOf = (participant: Participant): ToolChoice =>
  roundsLeft(participant) > 0 ? 'required' : { oneOf: actions };

/**
 * How the next reply is made a call. A schema is for what follows a text in place of one, and for a model that has never called
 * by itself, which then gives what the phase is for: it would go on giving answers where it is to vote. A text that may be its
 * answer needs none, since what such a model writes into a schema is no better. An agent with tools of its own is held to a
 * schema only right after a text.
 */
function callingOf({ attempt, context, participant }: Participation): ReplyOptions {
  const { calling, textReply, tools } = participant;
  const isVoting = attempt.phase === 'voting';
  const isAnswered = !isVoting && textReply !== undefined && !isDebris(textReply, context.plain.task);
  const isHeld = (textReply !== undefined || (calling === 'by_schema' && tools === undefined)) && !isAnswered;
  const wanted = isVoting ? 'vote' : 'new_answer';
  const bySchema = calling === 'by_schema' ? [wanted] : ['new_answer', 'vote'];
  return { choice: choiceOf(participant), ...(isHeld && { bySchema }) };
}

/** What a participant's model is called for, with the time that it has left. */
export function purposeOf(participation: Participation): Purpose {
  const { attempt } = participation;
  const what = attempt.phase === 'voting' ? 'vote' : 'answer';
  return {
    what,
    when: whenOf(attempt),
    get timeout() {
      return timeLeft(participation);
    },
  };
}

/**
 * At least a millisecond. Only its own work counts, so that it does not run out of time while it waits for others, or for a
 * key.
 */
export function timeLeft({ context, participant }: Participation): number {
  const { millisecondsLeft, teamAgent, working } = participant;
  if (working === undefined) return millisecondsLeft;
  const waited = context.requests.waitsOf(teamAgent.id).milliseconds - working.waited;
  return Math.max(1, millisecondsLeft - (Date.now() - working.since - waited));
}

/** A reply without any call, as it would be the agent's answer. */
export function proseOf({ participant }: Participation, { content, finish }: Reply): GivenAnswer {
  const { agent, teamAgent } = participant;
  // An agent that works by react may mark its answer as it would alone.
  const text = saidIn(teamAgent.orchestrator.kind === 'react' ? withoutMarker(content) : content);
  const stored = text === content ? textRef(content, { segment: agent.transcript?.id ?? '' }) : text;
  return { content: text, text: stored, isCut: finish === 'length' };
}

/**
 * Which of two texts is an agent's answer: the first one, unless that is no answer for anybody, or was cut off and the other one
 * was not. A model that is nudged towards a tool that it cannot call writes about the tool.
 */
export function answerAmong(one: GivenAnswer | undefined, other: GivenAnswer, task: string): GivenAnswer {
  if (one === undefined) return other;
  if (isDebris(other, task)) return one;
  if (isDebris(one, task)) return other;
  return one.isCut && !other.isCut ? other : one;
}

export function isDebris({ content }: GivenAnswer, task: string): boolean {
  return whyDebris(content, { task, instructions: toldToAgents() }) !== undefined;
}

/** @throws what `CustomTurn.run` throws */
export async function customAnswer(participation: Participation, settings: CustomSettings): Promise<GivenAnswer> {
  const { context, attempt, participant } = participation;
  const { millisecondsLeft, teamAgent } = participant;
  const { backend, id, persona } = teamAgent;
  const handleText = await loadHandleText(settings.module);
  const turn = new CustomTurn(context, {
    settings,
    persona: { id, text: persona, backend },
    tools: participant.tools,
    asker: participant.asker,
    others: othersOf(participation),
    say: (text) => context.events.emit({ type: 'says', agent: id, text, last: false }),
    history: await context.plain.history(),
    when: whenOf(attempt),
    callTimeout: millisecondsLeft,
  });
  const content = await turn.run(handleText, attempt.brief, millisecondsLeft);
  const [text = content] = await storeTexts([content]);
  return { content, text };
}

function temperatureOf({ failures, teamAgent }: Participant): number | undefined {
  if (failures === 0) return teamAgent.backend.temperature;
  return temperatureAfter(failures + Math.round((teamAgent.backend.temperature ?? 0) * 10));
}

/**
 * Starts the questions and tools of a reply. They run in the attempt's scope, so that the end of a voting round does not
 * cancel them, since providers require a result for every call.
 */
export function startWork(participation: Participation, asks: AskCall[], uses: ReplyCall[]): void {
  const { attempt, context, participant } = participation;
  participant.state = asks.length > 0 ? 'asking' : 'using_tools';
  // What it has learnt since makes an earlier text old.
  participant.textReply = undefined;
  participant.pendingCalls = attempt.scope.run(async () => {
    const [reached, used] = await Promise.all([
      asks.length > 0 &&
        context.broadcast?.answerCalls(participant.asker, asks, othersOf(participation), whenOf(attempt)),
      uses.length > 0 && useTools(participation, uses),
    ]);
    if (reached) participant.refusals.succeeded();
    if (!reached && !used) participant.invalidReplies += 1;
    participant.hasLearnt = true;
    participant.pendingCalls = undefined;
  });
  // Who waits for it rethrows a failure. When the attempt has ended meanwhile, nobody awaits it.
  participant.pendingCalls.catch(() => {});
}

const othersOf = ({ attempt, participant }: Participation): AskingAgent[] =>
  attempt.participants
    .filter((other) => other !== participant && isIn(other) && other.teamAgent.backend.type !== 'claude_code')
    .map(({ asker }) => asker);

/** @returns false when the calls were refused because the agent has used tools too often since its last action */
async function useTools(participation: Participation, uses: ReplyCall[]): Promise<boolean> {
  const { participant } = participation;
  const loop = loopContextOf(participation);
  if (roundsLeft(participant) <= 0) {
    refuseCalls(loop, uses);
    return false;
  }
  participant.toolRounds += 1;
  const { orchestrator } = participant.teamAgent;
  const parallel = orchestrator.kind === 'simple_tool' && orchestrator.parallel;
  const answers = await runCalls(loop, uses, parallel);
  const left = roundsLeft(participant);
  announceEnd(loop, left);
  if (left === 0) participant.agent.tell({ role: 'system', content: toolsUnavailable(actions) });
  participant.failures += answers.filter(({ status }) => status !== 'ok').length;
  participant.work.push(...answers.map(summaryOf));
  return true;
}

/** How much of a call's arguments and of its result judges are shown, in characters. */
const shownWork = 200;

export function summaryOf({ call, status, text }: ToolAnswer): ToolCallSummary {
  const input = shortened('input' in call ? JSON.stringify(call.input) : '', shownWork);
  return { tool: call.name, input, status, text: shortened(text, shownWork).replace(/\s+/g, ' ') };
}

/** How many replies of a final agent may use tools whose own code would limit them. */
export const mostOfCustom = 60;

/** How many replies of an agent may use tools in a row: all of its turn but the last. @param custom where its own code says that */
export function mostRounds(orchestrator: OrchestratorSettings, custom = Infinity): number {
  if (orchestrator.kind === 'react') return orchestrator.max_iterations - 1;
  return orchestrator.kind === 'simple_tool' ? orchestrator.max_thoughts - 1 : custom;
}

const roundsLeft = ({ teamAgent, toolRounds }: Participant): number => mostRounds(teamAgent.orchestrator) - toolRounds;

const actions = ['new_answer', 'vote'];

function loopContextOf(participation: Participation): LoopContext {
  const { context, attempt, participant } = participation;
  const { agent, refusals, tools } = participant;
  const { id } = participant.teamAgent;
  return {
    agent,
    run: (call) => {
      if (tools === undefined) throw new TypeError(`${id} has no tools`);
      return tools.call(call);
    },
    refusals,
    warn: (text) => context.warn(text, id),
    say: (text) => context.events.emit({ type: 'says', agent: id, text, last: false }),
    when: whenOf(attempt),
    // Each of its calls has what those before it have left.
    get timeout() {
      return timeLeft(participation);
    },
  };
}
