import { isCancellation } from '@temporalio/workflow';
import { Agent, type Opening } from '../agent/agent.ts';
import type { Purpose } from '../agent/model-caller.ts';
import { Toolbox } from '../agent/tool-executor.ts';
import { refuseCalls, runCalls } from '../agent/loop-context.ts';
import type { Reply } from '../../protocol/model-call.ts';
import { notRun } from '../agent/prompts.ts';
import { hasTools } from './team.ts';
import { callFailure, isBudgetSpent } from '../agent/failures.ts';
import { quote } from '../agent/text-refs.ts';
import type { NewMessage, Text } from '../../protocol/message.ts';
import { systemMessage, type ShownAnswer } from './prompts.ts';
import { presentedMessage, presentPrompt, reviewMessage, type VoteCount } from './final-prompts.ts';
import { whenOf, type Attempt, type Run } from './context.ts';
import { hasAnswer, type GivenAnswer, type Member } from './participant.ts';
import { preview } from './turn.ts';

/** The winner at its last duty, on the final agent's backend where the team has one. */
function finalConversation(run: Run, { seat }: Member, opening: Omit<Opening, 'system'>): Agent {
  const backend = run.team.final_agent?.backend ?? seat.backend;
  const system = systemMessage(seat.persona, run.duties.final);
  return new Agent({ id: seat.id, text: seat.persona, backend }, run.caller, { system, ...opening });
}

/** The conversation in which the final agent reviews all answers and votes, decides, and presents. */
export function reviewer(run: Run, attempt: Attempt, selected: Member): Agent {
  const answers: ShownAnswer[] = [];
  const votes: VoteCount[] = [];
  for (const { seat, answer } of attempt.members.filter(hasAnswer)) {
    answers.push({ name: seat.name, content: answer.text, yours: seat === selected.seat });
    const reasons = attempt.members.flatMap(({ vote }) => (vote?.agent === seat.id ? [vote.reason] : []));
    votes.push({ name: seat.name, reasons });
  }
  const review = reviewMessage(run.task, answers, votes, selected.seat.name);
  const messages: NewMessage[] = [...run.history, { role: 'user', content: review }];
  return finalConversation(run, selected, { transcript: run.conversation, messages });
}

/** The judge after presenting starts fresh: the task, the presented answer, and nothing of how it came about. */
export function evaluator(run: Run, selected: Member, presented: Text): Agent {
  const messages: NewMessage[] = [{ role: 'user', content: presentedMessage(run.task, presented) }];
  return finalConversation(run, selected, { transcript: null, messages });
}

/** How often the final agent may use tools. */
const maxToolRounds = 10;

/** Its reply after it has used whatever tools it wants: all that its agent has, also those that were withheld so far. */
async function lastReply(run: Run, attempt: Attempt, agent: Agent, purpose: Purpose): Promise<Reply> {
  const tools = attempt.selected?.seat.tools;
  if (!hasTools(tools)) return agent.reply(purpose, null);
  const emit = run.events.emit.bind(run.events);
  const toolbox = await Toolbox.open(agent.persona.id, tools, [], emit);
  const { when, timeout } = purpose;
  const say = (): void => {};
  const worker = { agent, tools: toolbox.set, run: toolbox.call.bind(toolbox), say, when, timeout };
  for (let round = 1; ; round++) {
    const reply = await agent.reply(purpose, round > maxToolRounds ? null : toolbox.set);
    if (reply.calls.length === 0) return reply;
    if (round > maxToolRounds) {
      refuseCalls(worker, reply.calls, notRun);
      return reply;
    }
    await runCalls(worker, reply.calls, false);
  }
}

/**
 * Has the final answer written. A model that fails or writes nothing costs only the presentation:
 * the answer that won the vote is then delivered as it stands.
 *
 * @throws `BudgetSpent`
 */
export async function present(
  run: Run,
  attempt: Attempt,
  agent: Agent,
  won: GivenAnswer,
): Promise<GivenAnswer> {
  const { id } = agent.persona;
  attempt.phase = 'presenting';
  run.events.emit({ type: 'presenting', agent: id });
  agent.tell({ role: 'user', content: presentPrompt });
  const timeout = run.team.timeout_settings.agent_timeout_seconds * 1000;
  let problem = 'the final agent wrote nothing';
  try {
    const purpose = { what: 'present' as const, when: whenOf(attempt), timeout };
    const { content } = await lastReply(run, attempt, agent, purpose);
    if (content.trim() !== '') {
      run.events.emit({ type: 'presented', agent: id, content: preview(content) });
      return { content, text: quote(content, { segment: agent.transcript?.id ?? '' }) };
    }
  } catch (error) {
    if (isCancellation(error) || isBudgetSpent(error)) throw error;
    problem = `the final agent's model failed (${callFailure(error).reason})`;
  }
  run.events.emit({
    type: 'warning',
    agent: id,
    text: `${problem}: its answer is delivered as it was voted for`,
  });
  return won;
}
