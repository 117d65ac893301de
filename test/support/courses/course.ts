import { ownDocs } from '../../../src/config/search-services.ts';
import { agentOf } from '../agent-script.ts';
import { Dice } from '../dice.ts';
import { teamOf } from '../team-script.ts';

export const courseTypes = ['orchestration', 'planAndExecute', 'session', 'research'] as const;

export type CourseType = (typeof courseTypes)[number];

/** One generated run: what it is started with, and what comes to it from outside. The same seed and number give it again. */
export interface Course {
  seed: number;
  number: number;
  type: CourseType;
  input: object;
  /** The texts of a session's turns. */
  turns: string[];
  /** Whether a session's turns are sent one after the other, rather than all at once. */
  inTurn: boolean;
  /** Milliseconds after which the run is cancelled; undefined for never. */
  cancelAfter: number | undefined;
}

/** The model of a course, by whose name its requests are known. */
export const modelOf = (number: number): string => `course-${number}`;

/** The number of the course that a model's name belongs to. */
export const courseOfModel = (model: string): number => Number(/^course-(\d+)$/.exec(model)?.[1]);

/** Chance for something about one course. @param purpose gives each thing its own, so that none disturbs another */
export const diceOf = (seed: number, number: number, purpose = 0): Dice =>
  new Dice(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b) ^ Math.imul(purpose, 0xc2b2ae35));

export function courseOf(seed: number, number: number): Course {
  const dice = diceOf(seed, number);
  const type = dice.weighted<CourseType>([
    [4, 'orchestration'],
    [3, 'planAndExecute'],
    [3, 'session'],
    [1, 'research'],
  ]);
  const text = `Course ${number}: ${dice.words(2, 6)}.`;
  const model = { model: modelOf(number), idle_timeout: 5 };
  const inputs: Record<CourseType, () => object> = {
    orchestration: () => ({ task: text, config: team(dice, model) }),
    planAndExecute: () => ({ problem: text, config: plan(dice, model) }),
    session: () => ({ config: dice.chance(0.75) ? agent(dice, model) : team(dice, model) }),
    research: () => ({ idea: text, config: research(dice, model) }),
  };
  return {
    seed,
    number,
    type,
    input: inputs[type](),
    turns:
      type === 'session' ? dice.many(1, 4, (index) => `Course ${number}, turn ${index + 1}: ${dice.words(1, 4)}.`) : [],
    inTurn: dice.chance(0.5),
    cancelAfter: dice.chance(0.1) ? dice.whole(50, 3000) : undefined,
  };
}

interface Model {
  model: string;
  idle_timeout: number;
}

const backendOf = (dice: Dice, model: Model): object => ({ type: dice.one(['openai', 'openai', 'claude']), ...model });

const packages = (dice: Dice): string[] =>
  dice.one([['kit'], ['kit'], ['kit', 'builtin.workspace'], ['kit', 'builtin.calculator'], []]);

/** Whom agents may ask, and for how long: a person is there, but not always soon enough. */
function asking(dice: Dice, choices: Array<'agents' | 'human' | false>): object {
  const broadcast = dice.one(choices);
  return broadcast === false ? {} : { broadcast, broadcast_timeout: dice.whole(1, 4) };
}

/** What all kinds of configuration have. */
function common(dice: Dice, { model }: Model): object {
  const action = dice.one(['allow', 'allow', 'ask', 'ask', 'deny']);
  return {
    permissions: [{ tool: 'act*', action }],
    attended: true,
    prices: { [model]: { input: 1, cachedInput: 1, output: 1 } },
    ...(dice.chance(0.25) && { budget: dice.one([{ calls: dice.whole(2, 20) }, { seconds: dice.whole(1, 4) }]) }),
  };
}

function team(dice: Dice, model: Model): object {
  const ids = dice.many(1, 4, (index) => `agent_${'abcd'[index]}`);
  const coordination = {
    max_orchestration_restarts: dice.one([0, 0, 1, 2]),
    max_new_answers_per_agent: dice.whole(1, 2),
    enable_post_presentation_evaluation: dice.chance(0.3),
    enable_planning_mode: dice.chance(0.15),
    ...asking(dice, ['agents', 'human', false]),
  };
  const { agents, ...rest } = teamOf(ids, {}, coordination, common(dice, model));
  return {
    ...rest,
    agents: agents.map((each) => ({
      ...each,
      backend: backendOf(dice, model),
      tool_packages: packages(dice),
      ...dice.one([{}, { max_thoughts: 4 }, { orchestrator: 'react', max_iterations: dice.whole(1, 3) }]),
    })),
    ...(dice.chance(0.15) && { timeout_settings: { agent_timeout_seconds: dice.whole(1, 3) } }),
    ...(dice.chance(0.05) && { timeout_settings: { orchestrator_timeout_seconds: dice.whole(1, 4) } }),
  };
}

function plan(dice: Dice, model: Model): object {
  const loop = dice.one([{ max_thoughts: 4 }, { max_thoughts: 8 }, { orchestrator: 'react', max_iterations: 2 }]);
  return {
    plan: {
      backend: backendOf(dice, model),
      executor: { ...loop, tool_packages: packages(dice) },
      max_retries: dice.whole(0, 2),
      max_parallel_subtasks: dice.whole(1, 4),
      max_subtasks: dice.one([6, 50]),
    },
    coordination: asking(dice, ['human', false]),
    ...common(dice, model),
  };
}

function agent(dice: Dice, model: Model): object {
  const type = dice.one(['openai', 'openai', 'claude'] as const);
  const loop = dice.weighted<{ simple: object } | { react: object }>([
    [2, { simple: { parallel: true, max_thoughts: 6 } }],
    [1, { simple: { max_thoughts: 4 } }],
    [1, { react: { max_iterations: 2 } }],
  ]);
  const { modules, ...config } = agentOf(type, loop, packages(dice)) as { modules: Array<{ id: string }> };
  return {
    ...config,
    modules: modules.map((each) => (each.id === 'llm' ? { ...each, config: model } : each)),
    coordination: asking(dice, ['human', false]),
    ...common(dice, model),
  };
}

function research(dice: Dice, model: Model): object {
  return {
    research: {
      backend: backendOf(dice, model),
      search: { folder: ownDocs },
      max_planning_iterations: dice.whole(1, 3),
      approval: dice.chance(0.3),
      on_missing_score: dice.one(['restart', 'proceed']),
    },
    ...common(dice, model),
  };
}
