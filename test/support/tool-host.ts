/** A process that has started a server of tools: `node tool-host.ts FOLDER SERVER`. Prints a line when it is up. */
import { join } from 'node:path';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { openToolbox } from '../../src/tools/toolbox.ts';
import type { McpServer } from '../../src/config/backend.ts';

const [folder = '', server = ''] = process.argv.slice(2);
const store = openSqliteStore(join(folder, 'store.sqlite'));
const toolbox = openToolbox({ folder, logs: folder, environment: {}, store });
const tools = await toolbox.tools({ mcp: JSON.parse(server) as McpServer });
console.log(tools.length);
