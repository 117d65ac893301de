import { hashOf } from '../../../src/util/ids.ts';
import { Dice } from '../dice.ts';
import type { Script, Scripted, Seen } from '../model-server.ts';
import { toolResults } from '../reading.ts';
import { criticism, plan, reportOn, researchScript } from '../research-script.ts';
import { completed, failed, invalid, solveScript, subtasks, valid } from '../solve-script.ts';
import { answer, ask, restart, submit, teamScript, vote } from '../team-script.ts';
import { courseOf, courseOfModel, type Course } from './course.ts';
import { toolNames } from './kit.ts';

/**
 * The model of all courses. What it says depends on the request alone, which a worker that takes over makes again: no
 * order in which requests of several agents arrive changes it.
 */
export function courseScript(seed: number): Script {
  const shortfalls = new Set<string>();
  const known = new Map<number, Who>();
  return async (seen) => {
    const number = courseOfModel(seen.model);
    const who = known.get(number) ?? workersOf(courseOf(seed, number));
    known.set(number, who);
    // Ids of calls differ between the providers' replies, so that only words count.
    const key = hashOf([seed, number, seen.tools.join(), seen.toolChoice, seen.prompt].join('\n'));
    const dice = new Dice(Number.parseInt(key.slice(0, 8), 16));
    const delay = dice.whole(20, 150);
    if (dice.chance(0.03) && !shortfalls.has(key)) {
      shortfalls.add(key);
      return { status: 503, headers: { 'retry-after': '1' } };
    }
    const reply = dice.chance(0.04)
      ? odd(dice)
      : (toolCalls(dice, seen) ?? asks(dice, seen) ?? (await role(who, dice)(seen)));
    return { ...reply, delay };
  };
}

const odd = (dice: Dice): Scripted =>
  dice.one<() => Scripted>([
    () => ({ status: 400 }),
    () => ({ text: '' }),
    () => ({ text: dice.words(1, 5) }),
    () => ({ text: '{"name": "vote", "arguments": {' }),
    () => ({ calls: [{ name: dice.one(['vote', 'new_answer', 'read', 'nothing']), arguments: '{"text": ' }] }),
    () => ({ text: dice.words(1, 5), finish: 'length' }),
  ])();

/** How many results of tools a conversation may have before its agent has to come to an end. */
const mostResults = 6;

/** Calls of one or several tools, where there are any. */
function toolCalls(dice: Dice, seen: Seen): Scripted | undefined {
  const names = toolNames.filter((name) => seen.tools.includes(name));
  if (names.length === 0 || toolResults(seen).length > mostResults || !dice.chance(0.55)) return undefined;
  const one = (): { name: string; arguments: object } => {
    // Read-only ones more often than the others, since several of them may be under way at a time.
    const name = dice.chance(0.6) ? dice.one(names.slice(0, 2)) : dice.one(names);
    const ms = name === 'slow' ? dice.whole(100, 600) : dice.one([undefined, 0, dice.whole(1, 60)]);
    return { name, arguments: { text: dice.words(1, 2), ...(ms !== undefined && { ms }) } };
  };
  const calls = dice.many(1, 4, () => (seen.tools.includes('edit_file') && dice.chance(0.4) ? change(dice) : one()));
  if (dice.chance(0.1)) return { text: `<tool_call>${JSON.stringify(calls[0])}</tool_call>` };
  return { calls: calls.map((call) => (dice.chance(0.1) ? { ...call, name: `functions.${call.name}` } : call)) };
}

/** A change of the agent's files, which may have nothing to change. */
function change(dice: Dice): { name: string; arguments: object } {
  const path = dice.one(['a.txt', 'b.txt']);
  if (dice.chance(0.5)) return { name: 'write_file', arguments: { path, content: `${dice.words(1, 3)}\r\n` } };
  const edits = dice.many(1, 2, () => ({ old_text: dice.one(['a', 'e', 'x']), new_text: '-', replace_all: true }));
  return { name: 'edit_file', arguments: { path, edits } };
}

/** Questions to the others or to a person, where they may be asked. */
function asks(dice: Dice, seen: Seen): Scripted | undefined {
  if (!seen.tools.includes('ask_others') || toolResults(seen).length > 2 || !dice.chance(0.4)) return undefined;
  return ask(...dice.many(1, 2, () => `${dice.words(1, 4)}?`));
}

/** Who works in a course. */
type Who = 'team' | 'solve' | 'research' | 'agent';

function workersOf({ input, type }: Course): Who {
  if (type === 'planAndExecute') return 'solve';
  if (type === 'research') return 'research';
  return 'agents' in (input as { config: object }).config ? 'team' : 'agent';
}

/** What is said that neither calls tools nor asks, as the role has it. */
function role(who: Who, dice: Dice): Script {
  const team = teamScript({
    answer: ({ agent, attempt }) => answer(`Answer of ${agent} in attempt ${attempt}: ${dice.words(1, 6)}.`),
    vote: ({ agent }) =>
      dice.chance(0.15)
        ? answer(`A better answer of ${agent}: ${dice.words(2, 6)}.`)
        : vote(dice.one(['agent1', 'agent1', 'agent2', 'agent3', 'agent_a', 'nobody']), dice.words(1, 3)),
    decide: () => (dice.chance(0.35) ? restart(dice.words(1, 4), dice.words(1, 4)) : submit()),
    present: () => ({ text: `Presented: ${dice.words(1, 8)}.` }),
    shadow: ({ agent }) => ({ text: `Response of ${agent}: ${dice.words(1, 4)}.` }),
  });
  const solve = solveScript({
    plan: () =>
      subtasks(
        ...dice.many(1, 5, (index) => ({
          id: `step_${index + 1}`,
          depends_on: index > 0 && dice.chance(0.4) ? [`step_${dice.whole(1, index)}`] : [],
        })),
      ),
    work: ({ id }) =>
      dice.chance(0.2) ? failed(dice.words(1, 4)) : completed(`Result of ${id}: ${dice.words(1, 4)}.`),
    synthesise: () => ({ text: `The answer: ${dice.words(1, 8)}.` }),
    validate: () => (dice.chance(0.25) ? invalid(dice.words(1, 2)) : valid),
  });
  const research = researchScript({
    plan: ({ iteration }) =>
      plan(
        `Plan ${iteration}: ${dice.words(2, 4)}`,
        dice.many(1, 3, () => dice.one(queries)),
      ),
    criticise: () => criticism(dice.one([20, 45, 60, 72, 90])),
    synthesise: reportOn,
  });
  const agent: Script = () => ({ text: dice.one([`Said: ${dice.words(1, 8)}.`, `FINAL_ANSWER: ${dice.words(1, 6)}`]) });
  const roles = { team, solve, research, agent };
  return roles[who];
}

const queries = ['tools of an agent', 'workers', 'encryption of histories', 'restarts', 'nothing of the kind'];
