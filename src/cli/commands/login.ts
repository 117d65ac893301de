import { checkConfig } from '../../config/kinds.ts';
import { readConfigFile } from '../../config/read-config.ts';
import { redact } from '../../util/text/redact.ts';
import { login as logInAt } from '../../tools/mcp/login.ts';
import { Logins, loginsIn } from '../../tools/mcp/logins.ts';
import { openInBrowser } from '../browser.ts';
import { CommandError, exitStatus, usageError } from '../exit.ts';
import { homeFolder } from '../options.ts';
import { readLine } from '../questions/read-line.ts';
import type { Shell } from '../shell.ts';
import type { McpServer } from '../../protocol/settings.ts';

type LoginOptions = { config?: string };

export async function login(shell: Shell, server: string, { config }: LoginOptions): Promise<void> {
  const url = addressOf(shell, server, config);
  const logins = new Logins(loginsIn(homeFolder(shell)));
  const end = new AbortController();
  const late = setTimeout(() => end.abort(new Error('nobody has logged in within 15 minutes')), 15 * 60_000);
  const over = new AbortController();
  try {
    const { asked, tools } = await logInAt(url, {
      logins,
      signal: end.signal,
      show: (address, returned) => invite(shell, address, returned, over.signal, (how) => end.abort(how)),
    });
    const offer = `${url} offers ${tools} tool${tools === 1 ? '' : 's'}`;
    shell.say(asked ? `Logged in. ${offer}` : `There is nothing to log in to, or the login is good still. ${offer}`);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(redact(`${url}: ${reasonsOf(error).join(': ')}`, []));
  } finally {
    clearTimeout(late);
    over.abort();
  }
}

function reasonsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const causes = reasonsOf(error.cause).filter((reason) => !error.message.includes(reason));
  return [error.message, ...causes];
}

function invite(
  shell: Shell,
  address: URL,
  returned: (address: string) => void,
  over: AbortSignal,
  stop: (how: Error) => void,
): void {
  shell.say(`Log in at\n  ${address.href}`);
  if (!shell.canPrompt) return;
  void openInBrowser(shell.env, address.href);
  shell.say('If your browser is on another machine, paste here the address that it cannot open at the end.');
  const read = async (): Promise<void> => {
    const entered = await readLine(shell, '> ', { withdrawn: over });
    if (entered.kind === 'interrupt') return stop(new CommandError('Not logged in', exitStatus.interrupted));
    if (entered.kind !== 'line') return;
    returned(entered.text);
    if (!over.aborted) await read();
  };
  void read();
}

/** @throws `CommandError`, status 2 */
function addressOf(shell: Shell, server: string, config: string | undefined): string {
  if (/^https?:\/\//.test(server) && URL.canParse(server)) return server;
  if (config === undefined) {
    throw usageError(`${server} is no address; give one, or the configuration that names the server with --config`);
  }
  const read = readConfigFile(config, checkConfig, shell.cwd);
  if (!read.ok) throw usageError(read.problems.join('\n'));
  const servers = serversIn(read.config);
  const found = servers.find(({ name }) => name === server);
  if (found !== undefined) return found.url;
  const names = [...new Set(servers.map(({ name }) => name))].join(', ');
  throw usageError(`${config} has no server ${server} with an address; it has ${names || 'none'}`);
}

function serversIn(config: unknown): Array<McpServer & { url: string }> {
  if (Array.isArray(config)) return config.flatMap(serversIn);
  if (typeof config !== 'object' || config === null) return [];
  const { name, url } = config as Record<string, unknown>;
  if (typeof name === 'string' && typeof url === 'string') return [config as McpServer & { url: string }];
  return Object.values(config).flatMap(serversIn);
}
