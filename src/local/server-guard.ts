/**
 * The process that stands beside a detached server and lives as long as it does:
 * `node server-guard.ts --pid PID --ui-port PORT --ui HOST:PORT --home HOME`. It serves the Web UI to this machine's user, and
 * keeps the home's logs short. When it listens it sends its parent a message.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { keepLogsShort } from '../worker/rotation.ts';
import { isAlive } from '../util/processes.ts';
import { uiProxy } from './ui-proxy.ts';

const text = { type: 'string', default: '' } as const;
const { values } = parseArgs({ options: { pid: text, 'ui-port': text, ui: text, home: text } });
const [host = '', innerPort] = values.ui.split(':');
const port = Number(values['ui-port']);

const lookEveryMs = 500;

setInterval(() => {
  if (!isAlive(Number(values.pid))) process.exit();
}, lookEveryMs);
process.on('SIGTERM', () => process.exit());
keepLogsShort(join(values.home, 'logs'));

const proxy = uiProxy({ host, port: Number(innerPort) }, port);
proxy.once('error', (error) => {
  console.error(`The Web UI cannot be served at port ${port}: ${error.message}`);
  process.exit(1);
});
// Whoever has started it may have ended meanwhile.
proxy.listen(port, '127.0.0.1', () => process.send?.('listening', () => {}));
