import { randomInt } from 'node:crypto';
import { freePort } from '../../src/local/ports.ts';

/** From where on systems choose ports themselves: Linux does, and others begin later. */
const firstChosen = 32_768;

/** A port that is still free when a process that has yet to start listens there: no system gives it to whoever asks for any. */
export async function ownPort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, firstChosen);
    if ((await freePort(port)) === port) return port;
  }
}
