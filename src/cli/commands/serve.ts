import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { Feeds } from '../../client/feed.ts';
import { takeConnections } from '../../local/http-door.ts';
import { isHeld, readLease } from '../../local/lock.ts';
import { idleMs } from '../../local/workers.ts';
import { issue } from '../../serve/access.ts';
import { createApp } from '../../serve/app.ts';
import { listen, type Listening } from '../../serve/listen.ts';
import { serveMcpOnStdio } from '../../serve/mcp/doors.ts';
import type { Served } from '../../serve/served.ts';
import { logFormat } from '../../worker/log-sink.ts';
import { openWithWorker, type Opened, type WorkerNeeds } from '../connection.ts';
import { usageError } from '../exit.ts';
import { homeFolder, type CommonOptions } from '../options.ts';
import type { Shell } from '../shell.ts';
import { tokenOf, waysIn } from '../ways-in.ts';

interface ServeOptions extends CommonOptions {
  host: string;
  /** 8234, or any where that is taken, when absent. */
  port?: number;
  configs: string;
  /** Where clients reach it, if that is not where it listens. */
  url?: string;
  origin?: string[];
  /** Whether to serve MCP to the program that has started it, in place of HTTP. */
  mcpStdio?: boolean;
  /** Whether it is the daemon's, which gives it the connections of its home's port. */
  inherited?: boolean;
}

const usualPort = 8234;

export async function serve(shell: Shell, options: ServeOptions): Promise<void> {
  shell.sayAs(logFormat(shell.environment));
  if (!options.inherited && !existsSync(shell.path(options.configs)))
    throw usageError(`--configs: there is no folder ${options.configs}`);
  if (options.mcpStdio) return serveStdio(shell, options);
  const { inherited = false } = options;
  const owner = tokenOf(shell);
  const app = Promise.withResolvers<ReturnType<typeof createApp>>();
  // Who comes before there is a worker waits for it, as the runs that they would start.
  const answer = async (request: Request) => (await app.promise).fetch(request);
  // It has its port before an `up` begins, which would take it.
  const listening = inherited ? await listen(answer) : await listenAt(shell, answer, options);
  const port = inherited ? (options.port ?? usualPort) : listening.port;
  const url = publicUrl(shell, options, port);
  const { close, served } = await openServed(shell, options, { owner, port, url });
  app.resolve(createApp(served));
  if (!inherited) shell.say(`${waysIn(shell, url)}\nCtrl-C ends it; runs go on.`);
  await Promise.race([shell.interrupted(), ...(inherited ? [takeConnections(listening, idleMs(shell.env))] : [])]);
  await listening.close();
  await close();
}

async function serveStdio(shell: Shell, options: ServeOptions): Promise<void> {
  const place = { owner: tokenOf(shell), port: 0, url: '' };
  const { close, served } = await openServed(shell, options, place);
  const { stdin, stdout } = shell;
  await serveMcpOnStdio(served, { input: stdin as Readable, output: stdout as Writable });
  await close();
}

async function openServed(
  shell: Shell,
  options: ServeOptions,
  place: Pick<Served, 'owner' | 'port' | 'url'>,
): Promise<{ served: Served; close: () => Promise<void> }> {
  const workers = await openWorkers(shell, options);
  const home = homeFolder(shell);
  const feeds = new Feeds(workers.reprise, { home, variables: shell.env });
  // What ends when nobody uses it is used by whoever may come. A server of the daemon's ends with it.
  const using = options.inherited ? undefined : setInterval(() => void workers.ready().catch(() => {}), 30_000);
  const served: Served = {
    ...place,
    reprise: workers.reprise,
    ready: () => workers.ready(),
    feeds,
    configs: shell.path(options.configs),
    home,
    origins: options.origin ?? [],
    typed: shell.typed,
    say: (text) => shell.say(text, 'ERROR'),
  };
  return {
    served,
    async close() {
      clearInterval(using);
      feeds.close();
      await workers.close();
    },
  };
}

/** @throws `CommandError`, status 2, where a port that was named is taken */
async function listenAt(
  shell: Shell,
  answer: Parameters<typeof listen>[0],
  { host, port = usualPort, port: named }: ServeOptions,
): Promise<Listening> {
  try {
    return await listen(answer, { host, port });
  } catch (error) {
    if (named !== undefined || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE')
      throw usageError(`It cannot listen at ${host}:${port}: ${(error as Error).message}`);
    const home = homeFolder(shell);
    const served = isHeld(home) ? readLease(home)?.httpAddress : undefined;
    const already = `. This folder's \`up\` serves already, at ${served}; \`reprise down\` ends it`;
    shell.say(`Port ${port} is taken: another one is used${served === undefined ? '' : already}`);
    return listen(answer, { host, port: 0 });
  }
}

function publicUrl({ environment }: Shell, { host, inherited, url }: ServeOptions, port: number): string {
  const own = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const given = url ?? (inherited ? own : (environment['REPRISE_PUBLIC_URL'] ?? own));
  if (/^https?:\/\/[^/?#]+\/?$/.test(given) && URL.canParse(given)) return given.replace(/\/$/, '');
  throw usageError(`"${given}" is no address of a server, such as https://reprise.example.com`);
}

/** The connections by which a server starts runs: where the workers are this home's, one is started where none lives. */
async function openWorkers(shell: Shell, { configs, inherited, temporal }: ServeOptions) {
  // Configurations of another folder have their modules beside them. A server of the daemon's is for whatever workers its home has.
  const isElsewhere = !inherited && shell.path(configs) !== shell.cwd;
  const options: WorkerNeeds = {
    ...(temporal !== undefined && { temporal }),
    ...(isElsewhere && { configs: shell.path(configs) }),
  };
  let present = await openWithWorker(shell, options);
  let lookedAt = Date.now();
  const all = new Map([[keyOf(present), present]]);
  return {
    /** For runs that exist already. */
    reprise: present.reprise,
    async ready() {
      // For so long it is trusted that the worker of new runs still lives.
      if (Date.now() - lookedAt < 5000) return present.reprise;
      const opened = await openWithWorker(shell, options);
      lookedAt = Date.now();
      const known = all.get(keyOf(opened));
      if (known === undefined) all.set(keyOf(opened), opened);
      else await opened.reprise.close();
      present = known ?? opened;
      return present.reprise;
    },
    async close() {
      await Promise.all([...all.values()].map(({ reprise }) => reprise.close()));
    },
  };
}

/** What two connections are the same by: who takes the runs that are started. */
const keyOf = ({ buildId, reprise }: Opened): string => `${buildId ?? ''} ${reprise.client.options.namespace}`;

type TokenOptions = { read?: boolean; start?: string[] };

export async function token(shell: Shell, { read, start }: TokenOptions): Promise<void> {
  if (read && start) throw usageError('--read and --start exclude each other');
  const wrong = start?.find((name) => /[,\n]/.test(name) || name === '');
  if (wrong !== undefined) throw usageError(`"${wrong}" is no name of a configuration`);
  const owner = tokenOf(shell);
  const made = start ? issue(owner, { kind: 'start', names: start }) : read ? issue(owner, { kind: 'read' }) : owner;
  await shell.print(made);
}
