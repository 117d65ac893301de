import { Broadcast } from '../ask-others/broadcast.ts';
import { HumanDesk, type DeskRecord } from '../ask-others/human-input.ts';
import { Ledger, type LedgerRecord } from '../agent/usage-tracker.ts';
import { ModelCaller } from '../agent/model-caller.ts';
import type { Broadcast as BroadcastSettings } from '../../config/broadcast.ts';
import type { Team } from '../../config/team.ts';
import type { PriceTable } from '../../protocol/prices.ts';
import type { Asking } from '../ask-others/prompts.ts';
import type { EventLog } from './event-log.ts';
import type { Surface } from './run-handlers.ts';

/** What all that work in one run share, and a session through all of its runs. */
export interface Office {
  events: EventLog;
  ledger: Ledger;
  caller: ModelCaller;
  desk: HumanDesk;
  /** Undefined where agents may not ask. */
  broadcast: Broadcast | undefined;
}

/** What a session's next run takes over. */
export interface OfficeRecord {
  desk: DeskRecord;
  ledger: LedgerRecord;
  /** Questions asked so far. */
  requests: number;
  /** Events so far. */
  events: number;
}

export interface OfficeSettings {
  budget: Team['budget'];
  prices: PriceTable;
  coordination: BroadcastSettings;
  /** How many agents work here: one alone has only a person to ask. */
  agents: number;
}

/** Opens the accounts and the human desk. @param record what earlier runs of the same session leave */
export function openOffice(
  { agents, budget, coordination, prices }: OfficeSettings,
  surface: Surface,
  { desk: answers = {}, ledger: figures, requests = 0 }: Partial<OfficeRecord>,
): Office {
  const { events } = surface;
  const emit = events.emit.bind(events);
  const ledger = new Ledger(budget, prices, figures);
  const caller = new ModelCaller(ledger, ({ agent, purpose, activityId, model }) =>
    events.emit({ type: 'thinking', agent, purpose: purpose.what, activityId, model }),
  );
  const asking = askingOf(coordination, agents);
  const timeout = coordination.broadcast_timeout * 1000;
  const desk = new HumanDesk(answers, timeout, emit);
  surface.open(desk, asking?.mode === 'human');
  const { max_broadcasts_per_agent: limit, response_depth: depth } = coordination;
  const broadcast =
    asking && new Broadcast({ mode: asking.mode, timeout, limit, depth }, caller, desk, emit, requests);
  return { events, ledger, caller, desk, broadcast };
}

export function recordOf({ broadcast, desk, events, ledger }: Office): OfficeRecord {
  return {
    desk: desk.record,
    ledger: ledger.record,
    requests: broadcast?.requests ?? 0,
    events: events.count,
  };
}

/** How agents may ask; undefined: they may not. */
export function askingOf(coordination: BroadcastSettings, agents: number): Asking | undefined {
  const { broadcast, broadcast_sensitivity: sensitivity } = coordination;
  if (broadcast === false || (broadcast === 'agents' && agents === 1)) return undefined;
  return { mode: broadcast, sensitivity };
}
