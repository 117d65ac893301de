import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Priority } from '@temporalio/common';
import type { Environment } from '../../util/environment.ts';
import { isRemote, routeOf } from '../../config/models/providers.ts';
import type { SharedRates } from '../../store/store.ts';
import { Bucket } from './bucket.ts';
import { readRates } from './settings.ts';
import type { Backend } from '../../protocol/settings.ts';

/** In milliseconds. The store is asked for pauses only while there are calls. */
const heldMs = 1000;

/** In milliseconds, twice an answer's longest. What is longer was written by a wrong clock, and would never end. */
const maxWaitMs = 240_000;

/** Of a pause, so that those who wait do not all begin at once. */
const spread = 0.1;

interface RatedCall {
  backend: Backend;
  tokens: number;
  priority: Priority | undefined;
  signal: AbortSignal;
  onWait: (why: string) => void;
}

export interface Rates {
  /** Waits until a call may be made. @returns tells how many tokens it took. @throws the signal's reason; the store's error */
  place(call: RatedCall): Promise<(tokens: number) => void>;
  pause(backend: Backend, milliseconds: number): Promise<void>;
}

/** Also keeps to 429s. The store holds a hash of a key. @throws `VariableError` where `REPRISE_RATES` is wrong */
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

/** By `performance.now()`. A store that does not answer pauses nothing. */
async function untilOf(shared: SharedRates, now: number): Promise<Map<string, number>> {
  const left = await shared.paused(maxWaitMs).catch(() => new Map<string, number>());
  return new Map([...left].map(([id, milliseconds]) => [id, now + milliseconds]));
}

const hashOf = (key = ''): string => createHmac('sha256', key).update('Reprise rates').digest('hex').slice(0, 12);
