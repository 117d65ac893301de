/** A process that has started a server of tools: `node tool-host.ts FOLDER SERVER`. Prints a line when it is up. */
import { join } from 'node:path';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { openToolRegistry } from '../../src/activities/tools/tool-registry.ts';
import type { McpServer } from '../../src/protocol/settings.ts';

const [folder = '', server = ''] = process.argv.slice(2);
const store = openSqliteStore(join(folder, 'store.sqlite'));
const toolbox = openToolRegistry({ folder, logs: folder, environment: {}, store });
const tools = await toolbox.tools({ mcp: JSON.parse(server) as McpServer });
console.log(tools.length);
