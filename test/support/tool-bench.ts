import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createRunQuickTools } from '../../src/activities/tools/quick-tools.ts';
import { createCallTool, createListTools } from '../../src/activities/tools/tools.ts';
import type { Environment } from '../../src/util/environment.ts';
import type {
  CallToolInput,
  CallToolResult,
  ListedTool,
  ListToolsInput,
  ListToolsResult,
  QuickTools,
  ToolSource,
} from '../../src/protocol/tools/tool.ts';
import type { Reply, ReplyCall } from '../../src/protocol/model-call.ts';
import type { WorkspaceInput } from '../../src/protocol/workspace.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { openToolRegistry } from '../../src/activities/tools/tool-registry.ts';
import type { ToolRegistry } from '../../src/tools/tool.ts';
import { openGuard } from './guard.ts';
import { testCaller } from './activity-bench.ts';

type Info = ConstructorParameters<typeof MockActivityEnvironment>[0];

/** A call under way. */
export interface BenchCall {
  environment: MockActivityEnvironment;
  result: Promise<CallToolResult>;
}

/** A tool with the files that its call gets. */
type BenchTool = Partial<Omit<ListedTool, 'workspace'>> & { name: string; workspace?: WorkspaceInput };

/** An extensions folder of its own, and the two activities over it as a worker runs them. */
export interface ToolBench {
  folder: string;
  /** Where the servers' messages are logged. */
  logs: string;
  store: Store;
  toolbox: ToolRegistry;
  /** Writes files into the folder, by their path. */
  write(files: Record<string, string>): void;
  list(
    input: Partial<ListToolsInput['sources']> & { own?: ListToolsInput['own']; goesOn?: boolean },
  ): Promise<ListToolsResult>;
  /** Calls a tool of a module, or of another source. @param info the activity's; each call has an id of its own */
  call(tool: BenchTool, args?: object, info?: Info): BenchCall;
  /** Has a model's call run the tools of its reply. @param info the activity's */
  runQuick(calls: ReplyCall[], quick: QuickTools, info?: Info): Promise<ReplyCall[]>;
  close(): Promise<void>;
}

let count = 0;

/**
 * @param files the folder's content, by path
 * @param environment variables of the worker
 */
export function toolBench(files: Record<string, string> = {}, environment: Environment = {}): ToolBench {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-tools-'));
  const home = mkdtempSync(join(tmpdir(), 'reprise-tools-home-'));
  const store = openSqliteStore(join(home, 'store.sqlite'));
  const logs = join(home, 'logs');
  const toolbox = openToolRegistry({ folder, logs, environment, store });
  const callTool = createCallTool({ store, tools: toolbox, environment });
  const listTools = createListTools({ store, tools: toolbox });
  const runQuickTools = createRunQuickTools({ store, tools: toolbox, environment, guard: openGuard() });
  const bench: ToolBench = {
    folder,
    logs,
    store,
    toolbox,
    write(written) {
      for (const [path, text] of Object.entries(written)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
    },
    list({ goesOn = false, packages = [], mcpServers = [], own = [] }) {
      return listTools({ sources: { packages, mcpServers }, own, goesOn });
    },
    call({ workspace, ...tool }, args = {}, info = {}) {
      const environment = new MockActivityEnvironment({
        activityId: `tool-${++count}`,
        workflowExecution: { workflowId: 'w', runId: 'r' },
        ...info,
      });
      const source: ToolSource = { package: 'tools.sample' };
      const input: CallToolInput = {
        tool: { source, sideEffects: 'undeclared', timeout: 60, ...tool },
        arguments: args as Record<string, unknown>,
        agent: 'agent_a',
        caller: testCaller,
        ...(workspace !== undefined && { workspace }),
      };
      return { environment, result: environment.run(callTool, input) };
    },
    async runQuick(calls, quick, info = {}) {
      const activity = new MockActivityEnvironment({
        activityId: `model-${++count}`,
        workflowExecution: { workflowId: 'w', runId: 'r' },
        scheduledTimestampMs: Date.now(),
        scheduleToCloseTimeoutMs: 600_000,
        ...info,
      });
      const reply: Reply = { content: '', calls, finish: 'tool_calls' };
      let answered = reply;
      await activity.run(async () => {
        answered = await runQuickTools(reply, quick, testCaller, `r/model-${count}`);
      });
      return answered.calls;
    },
    async close() {
      await toolbox.close();
      await store.close();
      for (const each of [folder, home]) rmSync(each, { recursive: true, force: true });
    },
  };
  bench.write(files);
  return bench;
}
