import { z } from 'zod';

const tenYears = 10 * 365 * 24 * 60 * 60;

/** A waiting time in seconds, of any length that is meant: Temporal takes no timer of several hundred years. */
export const waitingTime = z.number().positive().max(tenYears);

const level = z.enum(['low', 'medium', 'high']);

/**
 * How agents ask with `ask_others` (MassGen's documentation "Agent Communication", Configuration Options). Part of a
 * team's `orchestrator.coordination`, and a `coordination` of its own in the other kinds of configuration.
 */
export const broadcastSchema = z.strictObject({
  broadcast: z.union([z.literal(false), z.enum(['agents', 'human'])]).default(false),
  broadcast_timeout: waitingTime.default(300),
  max_broadcasts_per_agent: z.int().min(1).default(10),
  broadcast_sensitivity: level.default('medium'),
  response_depth: level.default('medium'),
});

/** The same beside one agent, which has only a person to ask. */
const soloBroadcastSchema = broadcastSchema.superRefine(({ broadcast }, context) => {
  if (broadcast !== 'agents') return;
  const message = '"agents" has nobody to ask where there is one agent; use human, which asks a person';
  context.addIssue({ code: 'custom', path: ['broadcast'], message });
});

export type Broadcast = z.output<typeof broadcastSchema>;

/** Limits of a whole run; an absent one is no limit. */
export const budgetSchema = z.strictObject({
  calls: z.int().positive().optional(),
  tokens: z.int().positive().optional(),
  usd: z.number().positive().optional(),
  seconds: z.number().positive().optional(),
});

/** What stands beside the key of its own in every kind of configuration but a team's. */
export const soloShape = {
  coordination: soloBroadcastSchema.prefault({}),
  budget: budgetSchema.optional(),
};

/** What the kinds of configuration have in common, in lines for a person: who is asked, and the limits. */
export function describeCoordination(settings: Broadcast, budget?: object, idleTimeout?: number): string[] {
  const { broadcast, broadcast_timeout, max_broadcasts_per_agent } = settings;
  const whom = broadcast === 'agents' ? 'each other' : 'a person';
  const asking =
    `Agents may ask ${whom} (broadcast ${broadcast}): ${broadcast_timeout} s to respond, ` +
    `up to ${max_broadcasts_per_agent} open questions an agent, ` +
    `sensitivity ${settings.broadcast_sensitivity}, depth ${settings.response_depth}.`;
  return [
    ...(broadcast === false ? [] : [asking]),
    ...(budget === undefined ? [] : [`Budget: ${JSON.stringify(budget)}.`]),
    ...(idleTimeout === undefined ? [] : [`A session ends after ${idleTimeout} s without a turn.`]),
  ];
}
