import type { CallToolResult } from '../../src/protocol/tools/tool.ts';
import { toolBench, type ToolBench } from '../../test/support/tool-bench.ts';

/** A worker's key, which no command may see. */
export const secret = 'SECRET-5e1d';

interface CommandBench {
  bench: ToolBench;
  run: (command: string, timeout?: number, mounts?: Array<{ path: string; tree: string }>) => Promise<CallToolResult>;
}

/** A worker's tool for commands, with a real engine. */
export function commandBench(image: string): CommandBench {
  const { DOCKER_CONFIG = '', DOCKER_HOST = '', HOME = '', PATH = '' } = process.env;
  const engine = { ...(DOCKER_CONFIG && { DOCKER_CONFIG }), ...(DOCKER_HOST && { DOCKER_HOST }) };
  const bench = toolBench({}, { ...engine, HOME, PATH, OPENAI_API_KEY: secret, REPRISE_DOCKER_IMAGE: image });
  return {
    bench,
    run(command, timeout = 60, mounts = []) {
      const source = { package: 'builtin.command' };
      const tool = { name: 'run_command', source, timeout: 720, workspace: { tree: null, mounts } };
      return bench.call(tool, { command, timeout }).result;
    },
  };
}
