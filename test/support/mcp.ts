import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { McpServer } from '../../src/config/backend.ts';

/** MCP's sample server. */
const everything = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
);

/** The sample server over stdio, and the pids of its processes as they were started, oldest first. */
export function stdioServer(name = 'everything'): { server: McpServer; pids: () => number[] } {
  const file = join(mkdtempSync(join(tmpdir(), 'reprise-mcp-')), 'pids');
  const script = 'echo $$ >> "$0"; exec "$@"';
  return {
    server: { name, command: 'sh', args: ['-c', script, file, process.execPath, everything, 'stdio'] },
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
