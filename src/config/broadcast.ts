import { z } from 'zod';
import { seconds } from './seconds.ts';

const level = z.enum(['low', 'medium', 'high']);

/**
 * How agents ask with `ask_others` (MassGen's documentation "Agent Communication", Configuration Options). Part of a
 * team's `orchestrator.coordination`, and a `coordination` of its own in the other kinds of configuration.
 */
export const broadcastSchema = z.strictObject({
  broadcast: z.union([z.literal(false), z.enum(['agents', 'human'])]).default(false),
  broadcast_timeout: seconds(300),
  max_broadcasts_per_agent: z.int().min(1).default(10),
  broadcast_sensitivity: level.default('medium'),
  response_depth: level.default('medium'),
});

/** The same beside one agent, which has only a person to ask. */
export const soloBroadcastSchema = broadcastSchema.superRefine(({ broadcast }, context) => {
  if (broadcast !== 'agents') return;
  const message = '"agents" has nobody to ask where there is one agent; use human, which asks a person';
  context.addIssue({ code: 'custom', path: ['broadcast'], message });
});

export type Broadcast = z.output<typeof broadcastSchema>;

/** Who is asked, in which limits, in one line for a person; nothing where nobody is. */
export function describeBroadcast(settings: Broadcast): string[] {
  const { broadcast, broadcast_timeout, max_broadcasts_per_agent } = settings;
  if (broadcast === false) return [];
  const whom = broadcast === 'agents' ? 'each other' : 'a person';
  return [
    `Agents may ask ${whom} (broadcast ${broadcast}): ${broadcast_timeout} s to respond, ` +
      `up to ${max_broadcasts_per_agent} open questions an agent, ` +
      `sensitivity ${settings.broadcast_sensitivity}, depth ${settings.response_depth}.`,
  ];
}
