import type { WorkerOptions } from '@temporalio/worker';
import { VariableError } from '../util/environment.ts';

/** How many tasks a worker takes at once: either as many as it is given, or as many as processor and memory allow. */
export type Slots = FixedSlots | ResourceSlots;

export interface FixedSlots {
  /** Workflow tasks; 40 when absent. */
  workflows?: number;
  /** Activities, among them calls of models, which mostly wait; 200 when absent. */
  activities?: number;
}

/** New tasks are taken while the machine, or the container, uses less than these shares, from 0 to 1. */
export interface ResourceSlots {
  cpu: number;
  memory: number;
}

const defaults = { workflows: 40, activities: 200 };

const form =
  'either numbers of tasks, as in "workflows=40 activities=200", or shares of the machine, as in "cpu=80% memory=80%"';

/** Reads `REPRISE_SLOTS`. @throws `VariableError` that says what is wrong with it */
export function readSlots(text: string): Slots {
  const given = new Map<string, string>();
  for (const word of text.split(/[\s,]+/).filter((each) => each !== '')) {
    const [, name = '', value = ''] = /^([a-z]+)=(.+)$/.exec(word) ?? [];
    if (given.has(name) || value === '') throw wrong(word);
    given.set(name, value);
  }
  const names = [...given.keys()];
  if (given.size === 2 && given.has('cpu') && given.has('memory')) {
    const share = (name: string): number => {
      const value = given.get(name) ?? '';
      const number = value.endsWith('%') ? Number(value.slice(0, -1)) / 100 : Number(value);
      if (number > 0 && number <= 1) return number;
      throw wrong(`${name}=${value}`);
    };
    return { cpu: share('cpu'), memory: share('memory') };
  }
  const unknown = names.find((name) => !Object.hasOwn(defaults, name));
  if (unknown !== undefined || given.size === 0) throw wrong(unknown ?? text);
  return Object.fromEntries(
    [...given].map(([name, value]) => {
      const least = name === 'workflows' ? 2 : 1;
      if (!/^\d+$/.test(value) || Number(value) < least) throw wrong(`${name}=${value}`);
      return [name, Number(value)];
    }),
  );
}

const wrong = (word: string): Error =>
  new VariableError(`REPRISE_SLOTS: "${word}" is not understood; it takes ${form}`);

/**
 * As many requests for tasks as the server has tasks for: it says with each of them whether more requests would help. Fewer than ten
 * make a hundred runs that begin at once take a third longer, since the number grows task by task.
 */
const polls = { type: 'autoscaling', minimum: 10, initial: 10 } as const;
const polling = { workflowTaskPollerBehavior: polls, activityTaskPollerBehavior: polls };

/**
 * Calls of models wait most of their time, so that the processor tells little of the first ones: Temporal's own pause of 50 ms
 * between two would let a hundred that are due at once begin within five seconds.
 */
const activityTaskSlotOptions = { rampThrottle: '5 ms' } as const;

export function slotOptions(slots: Slots = {}): Partial<WorkerOptions> {
  if ('cpu' in slots) {
    return {
      ...polling,
      tuner: { tunerOptions: { targetCpuUsage: slots.cpu, targetMemoryUsage: slots.memory }, activityTaskSlotOptions },
    };
  }
  const { activities, workflows } = { ...defaults, ...slots };
  return {
    ...polling,
    maxConcurrentActivityTaskExecutions: activities,
    maxConcurrentWorkflowTaskExecutions: workflows,
  };
}
