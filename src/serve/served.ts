import type { Reprise } from '../client.ts';
import type { Feeds } from '../client/feed.ts';
import type { Access } from './access.ts';

/** What a server works with. Nothing in it is remembered for a client: whatever a request needs is in Temporal and the store. */
export interface Served {
  /** For what concerns runs that exist already. */
  reprise: Reprise;
  /** For starting runs: sees to it that a worker of this machine takes them, where that is this server's to do. */
  ready(): Promise<Reprise>;
  feeds: Feeds;
  configs: string;
  home: string;
  owner: string;
  /** Where the server is reached, without a slash at its end, such as `https://reprise.example.com`. */
  url: string;
  /** The port at which it listens on this machine. */
  port: number;
  /** The origins whose pages may use it besides its own. */
  origins: readonly string[];
  /** A text whose commands can be typed where the server runs. */
  typed: (text: string) => string;
  /** Is told what went wrong that no client is told. */
  say(text: string): void;
}

/** What hono's handlers find in `c.get(…)`. */
export interface ServeEnv {
  Variables: { access: Access };
}
