/**
 * Two tools with JSON Schemas, one of them with a side effect: `tool_packages: [tools.calendar]`.
 * The calendar is a sample, and its bookings live as long as the worker. `add_event` may safely run again with the same
 * key, as with a service that takes idempotency keys. It declares this with `sideEffects: 'idempotent'`.
 */
interface CalendarEvent {
  date: string;
  time: string;
  title: string;
}

const sample: CalendarEvent[] = [
  { date: '2026-03-02', time: '09:30', title: 'Stand-up' },
  { date: '2026-03-02', time: '14:00', title: 'Design review' },
  { date: '2026-03-03', time: '11:00', title: 'Interview' },
];

/** Bookings, by the idempotency key of the call that made them. */
const added = new Map<string, CalendarEvent>();

const date = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'Like 2026-03-02' };
const time = { type: 'string', pattern: '^\\d{2}:\\d{2}$', description: 'Like 14:00' };

const eventsOn = (day: string): CalendarEvent[] =>
  [...sample, ...added.values()]
    .filter((event) => event.date === day)
    .sort((one, other) => one.time.localeCompare(other.time));

export const tools = [
  {
    name: 'list_events',
    description: 'The events of a day, in their order (a sample calendar).',
    parameters: { type: 'object', properties: { date }, required: ['date'] },
    sideEffects: false,
    execute: ({ date }: { date: string }): CalendarEvent[] => eventsOn(date),
  },
  {
    name: 'add_event',
    description: 'Adds an event to the calendar, where its time is still free (a sample calendar).',
    parameters: {
      type: 'object',
      properties: { date, time, title: { type: 'string' } },
      required: ['date', 'time', 'title'],
    },
    sideEffects: 'idempotent',
    execute(event: CalendarEvent, { idempotencyKey }: { idempotencyKey: string }): CalendarEvent {
      const before = added.get(idempotencyKey);
      if (before !== undefined) return before;
      const taken = eventsOn(event.date).find((other) => other.time === event.time);
      if (taken !== undefined) {
        const error = new Error(`${event.date} ${event.time} is taken: ${taken.title}`);
        error.name = 'ToolError';
        throw error;
      }
      added.set(idempotencyKey, event);
      return event;
    },
  },
];
