import { z } from 'zod';
import { permissionShape } from './tools/permissions.ts';
import { notifySchema } from './notify.ts';
import { priceTableSchema } from './models/prices.ts';
import { safe } from './privileges.ts';
import type { Coordination } from '../protocol/settings.ts';
import type { Budget } from '../protocol/usage.ts';

const tenYears = 10 * 365 * 24 * 60 * 60;

/** A waiting time in seconds, at most ten years, because Temporal refuses timers of several hundred years. */
export const waitingTime = z.number().positive().max(tenYears);

/** A whole number within limits, both included. */
export const whole = (least: number, most?: number) =>
  most === undefined ? z.int().min(least) : z.int().min(least).max(most);

export const temperature = z.number().min(0).max(2);

const level = z.enum(['low', 'medium', 'high']);

/** How agents ask with `ask_others` (MassGen's documentation "Agent Communication", Configuration Options). */
export const broadcastSchema = z.strictObject({
  broadcast: z
    .union([z.literal(false), z.enum(['agents', 'human'])])
    .default(false)
    .meta(safe('Whom agents may ask: nobody, all other agents, or a person and only a person.')),
  broadcast_timeout: waitingTime
    .default(300)
    .meta(safe('Seconds that a question waits for its responses; the agent then goes on with those that have come.')),
  max_broadcasts_per_agent: whole(1)
    .default(10)
    .meta(safe())
    .describe(
      'How many questions one agent may have open at the same time; in an attempt it may ask twice as often in all.',
    ),
  broadcast_sensitivity: level.default('medium').meta(safe('How often agents are told to ask.')),
  response_depth: level.default('medium').meta(safe("How thorough the other agents' responses are to be.")),
});

/** For one agent, which has only a person to ask. */
const soloBroadcastSchema = broadcastSchema.superRefine(({ broadcast }, context) => {
  if (broadcast !== 'agents') return;
  const message = '"agents" has nobody to ask where there is one agent; use human, which asks a person';
  context.addIssue({ code: 'custom', path: ['broadcast'], message });
});

const budgetSchema = z.strictObject({
  calls: z.int().positive().optional().meta(safe('The most calls of models.')),
  tokens: z.int().positive().optional().meta(safe('The most tokens, read and written.')),
  usd: z.number().positive().optional().meta(safe('The most US dollars; every model needs a known price.')),
  seconds: z.number().positive().optional().meta(safe('The longest time, in seconds.')),
});

/** The keys that every kind of configuration has beside its own. */
export const commonShape = {
  budget: budgetSchema
    .optional()
    .describe('Limits of the whole run, checked before each call of a model. One that is absent does not exist.'),
  prices: priceTableSchema
    .optional()
    .describe("US dollars per million tokens, by the names of models; they replace the providers' list prices."),
  ...permissionShape,
  notify: notifySchema,
};

/** The same, and those that a team has elsewhere. */
export const soloShape = {
  coordination: soloBroadcastSchema.prefault({}).describe('Whether a person may be asked, and how.'),
  ...commonShape,
};

/** The key of those with whom a session can converse. */
export const sessionShape = {
  idle_timeout: waitingTime
    .optional()
    .meta(safe('Seconds that a session waits for the next turn before it ends. Absent: for ever.')),
};

/** Lines for a person about what all kinds of configuration have: who may be asked, and the limits. */
export function describeCoordination(settings: Coordination, budget?: Budget, idleTimeout?: number): string[] {
  const { broadcast, broadcast_timeout, max_broadcasts_per_agent } = settings;
  const whom = broadcast === 'agents' ? 'each other' : 'a person';
  const asking =
    `Agents may ask ${whom} (broadcast ${broadcast}): ${broadcast_timeout} s to respond, ` +
    `up to ${max_broadcasts_per_agent} open questions an agent, ` +
    `sensitivity ${settings.broadcast_sensitivity}, depth ${settings.response_depth}.`;
  const limits = Object.entries<number | undefined>({ ...budget }).flatMap(([what, most]) =>
    most === undefined ? [] : [`${most} ${what}`],
  );
  return [
    ...(broadcast === false ? [] : [asking]),
    ...(budget === undefined ? [] : [`Budget: ${limits.join(', ')}.`]),
    ...(idleTimeout === undefined ? [] : [`A session ends after ${idleTimeout} s without a turn.`]),
  ];
}
