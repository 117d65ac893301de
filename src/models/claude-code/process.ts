import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../util/environment.ts';
import { sendSignal } from '../../util/processes.ts';
import type { TempHome } from './temp-home.ts';
import type { SpawnOptions } from './sdk.ts';

/** The descriptor by which Claude Code gets its key. */
const keyDescriptor = 3;

/**
 * Ends all that it has started when the worker that holds descriptor 4 is no more: Claude Code itself would go on for
 * minutes, and pay for what nobody gets. A command in the background of a shell has no standard input unless it is
 * given another name.
 */
const script = `
exec 5<&0
"$@" <&5 4<&- 5<&- &
claude=$!
( read -r _ <&4; kill -TERM $claude; sleep 2; kill -KILL 0 ) <&4 3<&- 5<&- >/dev/null 2>&1 &
exec 0</dev/null 3<&- 4<&- 5<&-
wait $claude
`;

/** In milliseconds, to end what it has started. */
const politeMs = 2000;

/** The key comes by a descriptor, since every command that Claude Code runs could print its environment. */
export function startClaudeCode(
  { args, command, env }: SpawnOptions,
  { key, place, signal }: { key: string; place: TempHome; signal: AbortSignal },
): ChildProcess {
  const child = spawn('/bin/sh', ['-c', script, 'sh', command, ...args], {
    cwd: place.workspace,
    env: { ...env, ...keptConfig(env, place), CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR: String(keyDescriptor) },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const [, , , keyPipe] = child.stdio;
  // A process that could not be started, or has ended, is reported by its own events.
  for (const pipe of child.stdio) pipe?.on('error', () => {});
  if (keyPipe !== undefined && keyPipe !== null && 'end' in keyPipe) keyPipe.end(key);
  const kill = (): unknown => child.pid !== undefined && sendSignal(-child.pid, 'SIGKILL');
  const end = (): void => {
    child.stdio[4]?.destroy();
    setTimeout(kill, politeMs).unref();
  };
  signal.addEventListener('abort', end, { once: true });
  child.once('exit', () => {
    signal.removeEventListener('abort', end);
    kill();
  });
  return child;
}

/** The SDK writes a session that goes on into a folder of its own, which a worker that dies would leave behind. */
function keptConfig(env: SpawnOptions['env'], { config }: TempHome): Record<string, string> {
  const { CLAUDE_CONFIG_DIR: folder } = env;
  if (folder === undefined || folder === config || !existsSync(join(folder, 'projects'))) return {};
  renameSync(join(folder, 'projects'), join(config, 'projects'));
  rmSync(folder, { recursive: true, force: true });
  return { CLAUDE_CONFIG_DIR: config };
}

/** Without these variables of the worker no request may leave some networks. */
const passed = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS'];

export function environmentOf(
  place: TempHome,
  { baseUrl, headers, maxTokens }: { baseUrl: string; headers: Record<string, string>; maxTokens?: number | undefined },
  variables: Environment,
): Record<string, string> {
  const kept = passed.flatMap((name) => {
    const value = variables[name] ?? variables[name.toLowerCase()] ?? process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const custom = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
  return {
    ...Object.fromEntries(kept),
    HOME: place.home,
    TMPDIR: place.temporary,
    CLAUDE_CONFIG_DIR: place.config,
    // A repository that the temporary folder lies in is not the agent's.
    GIT_CEILING_DIRECTORIES: join(place.workspace, '..'),
    ANTHROPIC_BASE_URL: baseUrl,
    ...(custom !== '' && { ANTHROPIC_CUSTOM_HEADERS: custom }),
    ...(maxTokens !== undefined && { CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxTokens) }),
    // Nothing leaves the machine but requests to the model.
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    ENABLE_TOOL_SEARCH: 'false',
    // What runs on when a turn is over would be lost.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    // Temporal tries again, on this worker or on another one.
    CLAUDE_CODE_MAX_RETRIES: '2',
  };
}
