import { condition, continueAsNew, defineSignal, setHandler } from '@temporalio/workflow';
import type { RunState } from '../../src/client.ts';
import { EventLog } from '../../src/workflows/runtime/event-log.ts';
import { stateQuery } from '../../src/protocol/definitions.ts';

export const goOnSignal = defineSignal('goOn');

/** Goes on in new runs as a session does: in each it tells how it begins and, once it is let go on, how it ends. */
export async function chained(input: { runs: number; run?: number; events?: number }): Promise<void> {
  const { runs, run = 1, events: earlier = 0 } = input;
  const events = new EventLog(() => {}, earlier);
  const state = { phase: 'idle', attempt: run } as RunState;
  let goesOn = false;
  setHandler(stateQuery, () => state);
  setHandler(goOnSignal, () => {
    goesOn = true;
  });
  events.emit({ type: 'notice', text: `begin ${run}` });
  await condition(() => goesOn);
  events.emit({ type: 'notice', text: `end ${run}` });
  if (run < runs) await continueAsNew<typeof chained>({ runs, run: run + 1, events: events.count });
}
