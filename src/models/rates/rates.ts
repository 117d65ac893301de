import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Priority } from '@temporalio/common';
import type { Environment } from '../../util/environment.ts';
import { isRemote, routeOf } from '../../config/models/providers.ts';
import type { SharedRates } from '../../store/store.ts';
import { Bucket } from './bucket.ts';
import { readRates } from './settings.ts';
import type { Backend } from '../../protocol/settings.ts';

/** How long what the store says of pauses holds, in milliseconds. It is asked only while there are calls. */
const heldMs = 1000;

/**
 * The longest pause that the store is believed, in milliseconds: twice what is read from a provider's answer, since the clocks of
 * workers differ. One that ends later was written by a worker whose clock was wrong, and would never end.
 */
const maxWaitMs = 240_000;

/** Calls that have waited for the same end of a pause begin within this share of it, rather than all at once. */
const spread = 0.1;

interface RatedCall {
  backend: Backend;
  /** Tokens that it will take, by an estimate. */
  tokens: number;
  priority: Priority | undefined;
  signal: AbortSignal;
  /** Is told why the call waits, whenever that changes. */
  onWait: (why: string) => void;
}

/** The rates of providers, which all workers of a store keep together. */
export interface Rates {
  /** Waits until a call may be made. @returns tells how many tokens it took. @throws the signal's reason; the store's error */
  place(call: RatedCall): Promise<(tokens: number) => void>;
  /** Makes all workers wait that call this model with this key. */
  pause(backend: Backend, milliseconds: number): Promise<void>;
}

/**
 * Keeps to `REPRISE_RATES`, and to what providers say with a 429. The store holds no keys, but the name of the variable with a
 * hash that is keyed by the key.
 *
 * @throws `VariableError` where `REPRISE_RATES` is wrong
 */
export function openRates(shared: SharedRates, environment: Environment): Rates {
  const settings = readRates(environment['REPRISE_RATES'] ?? '');
  const buckets = new Map<string, Bucket>();
  let pauses: { at: number; until: Promise<Map<string, number>> } | undefined;

  const bucketsOf = (backend: Backend): Bucket[] => {
    if (!isRemote(backend)) return [];
    const { baseUrl, key, keyVariable } = routeOf(backend, environment);
    const { host, hostname } = new URL(baseUrl);
    return settings.flatMap(({ limits, name }) => {
      if (![keyVariable, host, hostname].includes(name)) return [];
      const id = name === keyVariable ? `${name} ${hashOf(key)}` : name;
      const bucket = buckets.get(id) ?? new Bucket(shared, id, limits);
      buckets.set(id, bucket);
      return [bucket];
    });
  };

  const pauseId = (backend: Backend): string | undefined => {
    if (!isRemote(backend)) return undefined;
    const { baseUrl, key, model = '' } = routeOf(backend, environment);
    return `${new URL(baseUrl).host} ${hashOf(key)} ${model}`;
  };

  const pausedFor = async (backend: Backend): Promise<number> => {
    const id = pauseId(backend);
    if (id === undefined) return 0;
    const now = performance.now();
    if (pauses === undefined || now - pauses.at > heldMs) pauses = { at: now, until: untilOf(shared, now) };
    return Math.max(0, ((await pauses.until).get(id) ?? 0) - now);
  };

  return {
    async place({ backend, onWait, priority, signal, tokens }) {
      const provider = backend.type;
      for (let wait = await pausedFor(backend); wait > 0; wait = await pausedFor(backend)) {
        onWait(`${provider} has asked to wait for ${Math.ceil(wait / 1000)} s`);
        await sleep(wait * (1 + spread * Math.random()), undefined, { signal }).catch(() => signal.throwIfAborted());
      }
      const taken = bucketsOf(backend);
      for (const bucket of taken) {
        onWait(`waits for a free place at ${provider}`);
        await bucket.take(tokens, priority, signal);
      }
      return (used) => {
        for (const bucket of taken) bucket.correct(used - tokens);
      };
    },

    async pause(backend, milliseconds) {
      const id = pauseId(backend);
      if (id === undefined || milliseconds <= 0) return;
      pauses = undefined;
      await shared.pause(id, milliseconds, maxWaitMs);
    },
  };
}

/** Until when what is paused is paused, by `performance.now()`. A store that does not answer pauses nothing. */
async function untilOf(shared: SharedRates, now: number): Promise<Map<string, number>> {
  const left = await shared.paused(maxWaitMs).catch(() => new Map<string, number>());
  return new Map([...left].map(([id, milliseconds]) => [id, now + milliseconds]));
}

/** Tells two keys apart without telling either. */
const hashOf = (key = ''): string => createHmac('sha256', key).update('Reprise rates').digest('hex').slice(0, 12);
