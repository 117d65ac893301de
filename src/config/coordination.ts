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

const level = z.enum(['low', 'medium', 'high']);

/**
 * How agents ask with `ask_others` (MassGen's documentation "Agent Communication", Configuration Options). A team has
 * these keys in `orchestrator.coordination`, the other kinds of configuration have them in a key `coordination`.
 */
export const broadcastSchema = z.strictObject({
  broadcast: z
    .union([z.literal(false), z.enum(['agents', 'human'])])
    .default(false)
    .meta(safe('Whom agents may ask: nobody, all other agents, or a person and only a person.')),
  broadcast_timeout: waitingTime
    .default(300)
    .meta(safe('Seconds that a question waits for its responses; the agent then goes on with those that have come.')),
  max_broadcasts_per_agent: z
    .int()
    .min(1)
    .default(10)
    .meta(safe())
    .describe(
      'How many questions one agent may have open at the same time; in an attempt it may ask twice as often in all.',
    ),
  broadcast_sensitivity: level.default('medium').meta(safe('How often agents are told to ask.')),
  response_depth: level.default('medium').meta(safe("How thorough the other agents' responses are to be.")),
});

/** The settings of `broadcastSchema` for one agent, which has only a person to ask. */
const soloBroadcastSchema = broadcastSchema.superRefine(({ broadcast }, context) => {
  if (broadcast !== 'agents') return;
  const message = '"agents" has nobody to ask where there is one agent; use human, which asks a person';
  context.addIssue({ code: 'custom', path: ['broadcast'], message });
});

/** Limits of a whole run. A limit that is absent does not exist. */
export const budgetSchema = z.strictObject({
  calls: z.int().positive().optional().meta(safe('The most calls of models.')),
  tokens: z.int().positive().optional().meta(safe('The most tokens, read and written.')),
  usd: z.number().positive().optional().meta(safe('The most US dollars; every model needs a known price.')),
  seconds: z.number().positive().optional().meta(safe('The longest time, in seconds.')),
});

/** What the keys that several kinds of configuration have are for. */
export const about = {
  budget: 'Limits of the whole run, checked before each call of a model. One that is absent does not exist.',
  prices: "US dollars per million tokens, by the names of models; they replace the providers' list prices.",
  idle_timeout: 'Seconds that a session waits for the next turn before it ends. Absent: for ever.',
};

/** The keys that every kind of configuration but a team's has beside its own. */
export const soloShape = {
  coordination: soloBroadcastSchema.prefault({}).describe('Whether a person may be asked, and how.'),
  budget: budgetSchema.optional().describe(about.budget),
  prices: priceTableSchema.optional().describe(about.prices),
  ...permissionShape,
  notify: notifySchema,
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
