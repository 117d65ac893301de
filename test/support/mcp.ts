import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createCallTool } from '../../src/activities/tools/tools.ts';
import type { CallToolInput, CallToolResult } from '../../src/protocol/tools/tool.ts';
import type { ToolBench } from './tool-bench.ts';
import { testCaller } from './activity-bench.ts';
import type { McpServer } from '../../src/protocol/settings.ts';

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

const newer = fileURLToPath(new URL('newer-server.ts', import.meta.url));

/** The server of newer-server.ts over stdio. @param effects the file in which it notes what takes effect */
export const newerServer = (effects = '/dev/null'): McpServer => ({
  name: 'newer',
  command: process.execPath,
  args: [newer, 'stdio', effects],
});

/** The same over HTTP as a process of its own; resolves when it listens. */
export async function startNewerServer(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [newer, String(port)], { stdio: ['ignore', 'ignore', 'pipe'] });
  await once(child.stderr, 'data');
  return child;
}

/** A call of a server's tool as a worker makes it, in which a person may be asked. */
export function callerOf({ store, toolbox }: Pick<ToolBench, 'store' | 'toolbox'>, mcp: McpServer) {
  const callTool = createCallTool({ store, tools: toolbox, environment: {} });
  return (name: string, args: object = {}, more: Partial<CallToolInput> = {}) => {
    const environment = new MockActivityEnvironment({
      activityId: randomUUID(),
      workflowExecution: { workflowId: 'w', runId: 'r' },
    });
    const tool = { name, source: { mcp }, sideEffects: 'undeclared' as const, timeout: 60 };
    const given = args as Record<string, unknown>;
    const input: CallToolInput = { tool, arguments: given, agent: 'agent_a', caller: testCaller, ...more };
    return { environment, result: environment.run<[CallToolInput], CallToolResult, typeof callTool>(callTool, input) };
  };
}

/** The sample server over HTTP as a process of its own; resolves when it listens. */
export async function startHttpServer(port: number, wire = 'streamableHttp'): Promise<ChildProcess> {
  const child = spawn(process.execPath, [everything, wire], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  while (!said.includes('on port')) said += String(await once(child.stderr, 'data'));
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
