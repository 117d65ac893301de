import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { McpServer } from '../../src/config/tool-sources.ts';

/** MCP's sample server. */
const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

/**
 * The sample server over stdio, and the pids of its processes as they were started, oldest first.
 *
 * @param folder where they are noted
 */
export function stdioServer(folder: string): { server: McpServer; pids: () => number[] } {
  const file = join(folder, randomUUID());
  const script = 'echo $$ >> "$0"; exec "$@"';
  return {
    server: {
      name: 'everything',
      command: 'sh',
      args: ['-c', script, file, process.execPath, everything, 'stdio'],
    },
    pids: () => readFileSync(file, 'utf8').trim().split('\n').map(Number),
  };
}

/** The sample server over HTTP as a process of its own; resolves when it listens. */
export async function startHttpServer(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [everything, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await once(child.stderr, 'data');
  return child;
}

export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
