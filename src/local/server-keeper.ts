import type { CodecServer } from '../encryption/serve-codec.ts';
import { serveHomeCodec } from './home-codec.ts';
import { endServer, isServing, openServer, reopenServer, type HomeServer, type Say } from './home-server.ts';
import { readHolder, takeLock, type Holder, type Lock } from './lock.ts';
import { answersWithin } from './server.ts';
import { liveWorkers } from './workers.ts';

const lookEveryMs = 2000;

/** How long another `up` may take until its server answers, in milliseconds; it may have to fetch the Temporal CLI first. */
const patienceMs = 120_000;

/**
 * The part of an `up` in its home folder's server. Of all that run in a home, the one with the folder's lock keeps the
 * server; the others use it, and one of them takes over when the keeper has ended.
 */
export class ServerKeeper {
  readonly #home: string;
  readonly #say: Say;
  #holder: Holder;
  #lock: Lock<Holder> | undefined;
  #left = false;
  /** Decrypts for the Web UI, as the keeper of the server. */
  #codec: CodecServer | undefined;

  /**
   * Joins those who use the server, and starts it where nobody has.
   *
   * @param asked the address that is asked for
   * @param isNamed whether the person named it, rather than leaving it to the default
   */
  static async join(home: string, asked: string, isNamed: boolean, say: Say): Promise<ServerKeeper> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const lock = takeLock<Holder>(home);
      if (lock !== undefined) {
        const holder = holderOf(await openServer(home, asked, isNamed, say), asked);
        lock.describe(holder);
        return new ServerKeeper(home, say, holder, lock);
      }
      const holder = readHolder(home);
      if (holder !== undefined && (await answersWithin(0, holder.address))) return new ServerKeeper(home, say, holder);
      if (Date.now() > deadline)
        throw new Error(`Another \`reprise up\` holds ${home}, and its server does not answer`);
      await pause(100);
    }
  }

  private constructor(home: string, say: Say, holder: Holder, lock?: Lock<Holder>) {
    this.#home = home;
    this.#say = say;
    this.#holder = holder;
    this.#lock = lock;
    void this.#keep();
    if (lock !== undefined) void this.#serveCodec();
  }

  get server(): HomeServer {
    return this.#holder;
  }

  get isKeeper(): boolean {
    return this.#lock !== undefined;
  }

  /** Gives the server back. @param stop whether to end it, where no other worker of the folder uses it */
  async leave(stop: boolean): Promise<void> {
    this.#left = true;
    await this.#codec?.close();
    const isLast = liveWorkers(this.#home).every(({ address, pid }) => pid === process.pid || address !== undefined);
    if (stop && isLast) await endServer(this.#home);
    this.#lock?.release(stop && isLast);
    this.#lock = undefined;
  }

  async #keep(): Promise<void> {
    for (;;) {
      await pause(lookEveryMs);
      if (this.#left) return;
      this.#lock ??= this.#succeed();
      if (this.#lock === undefined || isServing(this.#home)) continue;
      try {
        const server = await reopenServer(this.#home, this.#holder, this.#say);
        this.#holder = holderOf(server, this.#holder.asked);
      } catch (error) {
        this.#say(error instanceof Error ? error.message : String(error));
        continue;
      }
      this.#lock.describe(this.#holder);
    }
  }

  /** Takes the lock where the keeper has ended. */
  #succeed(): Lock<Holder> | undefined {
    const lock = takeLock<Holder>(this.#home, 0);
    if (lock === undefined) return undefined;
    this.#holder = { ...(readHolder(this.#home) ?? this.#holder), pid: process.pid };
    lock.describe(this.#holder);
    void this.#serveCodec();
    return lock;
  }

  async #serveCodec(): Promise<void> {
    try {
      this.#codec = await serveHomeCodec(this.#holder.uiAddress);
      if (this.#left) await this.#codec?.close();
    } catch (error) {
      this.#say(`The Web UI shows what is encrypted as it is: ${(error as Error).message}`);
    }
  }
}

const holderOf = (server: HomeServer, asked: string): Holder => ({ pid: process.pid, asked, ...server });

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
