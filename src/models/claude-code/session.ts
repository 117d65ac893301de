import type { Store } from '../../store/store.ts';
import type { SdkEntry, SdkSessionStore } from './sdk.ts';

interface Part {
  before: string | null;
  entries: SdkEntry[];
}

/** How long a line may take to arrive of which Claude Code has told already, in milliseconds. */
const timeoutMs = 3000;

/** In parts, each of which names the one before: each line is stored once, and a worker anywhere can go on with it. */
export class Session implements SdkSessionStore {
  readonly #store: Store;
  readonly #earlier: SdkEntry[];
  #head: string | null;
  #added: SdkEntry[] = [];
  readonly #seen = new Set<string>();
  readonly #failed = new Set<string>();
  readonly #waiting = new Set<() => void>();

  private constructor(store: Store, head: string | null, earlier: SdkEntry[]) {
    this.#store = store;
    this.#head = head;
    this.#earlier = earlier;
  }

  /** @param head as `save` returned it; null for a new session */
  static async open(store: Store, head: string | null): Promise<Session> {
    const parts: SdkEntry[][] = [];
    for (let id = head; id !== null;) {
      const part = JSON.parse(new TextDecoder().decode(await store.object(id))) as Part;
      parts.unshift(part.entries);
      id = part.before;
    }
    return new Session(store, head, parts.flat());
  }

  /** Called by the SDK within milliseconds after Claude Code has written lines. */
  append({ subpath }: { subpath?: string }, entries: SdkEntry[]): Promise<void> {
    // Without its sum of costs a session counts from 0 in each turn, so that no turn is counted twice.
    if (subpath === undefined) {
      this.#added.push(...entries.filter(({ type }) => type !== 'cost-state'));
      for (const { id, is_error: isError, tool_use_id: of = id, type } of entries.flatMap(blocksOf)) {
        this.#seen.add(`${type} ${of}`);
        if (isError && of !== undefined) this.#failed.add(of);
      }
    }
    for (const look of this.#waiting) look();
    return Promise.resolve();
  }

  load({ subpath }: { subpath?: string }): Promise<SdkEntry[] | null> {
    return Promise.resolve(subpath === undefined && this.#earlier.length > 0 ? this.#earlier : null);
  }

  /** @returns whether blocks of a kind with these ids have arrived within 3 s */
  async has(kind: 'tool_use' | 'tool_result', ids: string[]): Promise<boolean> {
    const arrived = Promise.withResolvers<boolean>();
    const look = (): void => {
      if (ids.every((id) => this.#seen.has(`${kind} ${id}`))) arrived.resolve(true);
    };
    this.#waiting.add(look);
    const timer = setTimeout(() => arrived.resolve(false), timeoutMs);
    look();
    try {
      return await arrived.promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(look);
    }
  }

  hasFailed(id: string): boolean {
    return this.#failed.has(id);
  }

  /** Stores what is new. @returns the object id by which the session is opened again; null if it has no line */
  async save(): Promise<string | null> {
    const entries = [...this.#added];
    if (entries.length === 0) return this.#head;
    const part: Part = { before: this.#head, entries };
    const [id = null] = await this.#store.putObjects([new TextEncoder().encode(JSON.stringify(part))]);
    this.#added = this.#added.slice(entries.length);
    this.#head = id;
    return id;
  }
}

interface Block {
  type?: string;
  id?: string;
  tool_use_id?: string;
  is_error?: boolean;
}

const blocksOf = ({ message }: SdkEntry): Block[] =>
  Array.isArray(message?.content) ? (message.content as Block[]) : [];
