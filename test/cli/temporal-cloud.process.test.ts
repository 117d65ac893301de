import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { freePort } from '../../src/local/ports.ts';
import { startServer, type RunningServer } from '../../src/local/server.ts';
import { Home } from '../support/cli.ts';
import { startRefusingProxy, type RefusingProxy } from '../support/refusing-proxy.ts';

// A server as Temporal Cloud is one for its clients: reached by TLS alone, with a client's certificate and an API key, a
// namespace of the form NAME.ACCOUNT, and no operator's calls.

const namespace = 'reprise.a1b2c';
const apiKey = 'key-of-a-test';
const operatorService = 'temporal.api.operatorservice.v1.OperatorService';

let folder: string;
let server: RunningServer;
let proxy: RefusingProxy;
let home: Home;
const pem = (name: string): string => join(folder, `${name}.pem`);
const file = (name: string): Buffer => readFileSync(pem(name));

function makeCertificates(): void {
  const openssl = (...words: string[]): void => void execFileSync('openssl', words, { stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', pem('ca-key'), '-out', pem('ca'), '-subj', '/CN=A test', '-days', '2');
  for (const name of ['server', 'client']) {
    openssl('req', ...key, '-keyout', pem(`${name}-key`), '-out', pem(`${name}-request`), '-subj', `/CN=${name}`);
    writeFileSync(pem('names'), 'subjectAltName=DNS:temporal.test\n');
    const signed = ['-in', pem(`${name}-request`), '-out', pem(name), '-extfile', pem('names'), '-days', '2'];
    openssl('x509', '-req', ...signed, '-CA', pem('ca'), '-CAkey', pem('ca-key'), '-CAcreateserial');
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reprise-cloud-'));
  makeCertificates();
  server = await startServer({
    cli: inject('temporal').cli,
    port: await freePort(),
    log: join(folder, 'temporal.log'),
  });
  const connection = await Connection.connect({ address: server.address });
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await connection.close();
  const tls = { ca: file('ca'), cert: file('server'), key: file('server-key') };
  proxy = await startRefusingProxy(server.address, [operatorService], { tls, apiKey });
  home = await Home.make({
    // The address is not one of this machine by its form, so that commands start nothing there.
    TEMPORAL_ADDRESS: proxy.address.replace('127.0.0.1', '0.0.0.0'),
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_API_KEY: apiKey,
    TEMPORAL_TLS_SERVER_NAME: 'temporal.test',
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: pem('ca'),
    TEMPORAL_TLS_CLIENT_CERT_PATH: pem('client'),
    TEMPORAL_TLS_CLIENT_KEY_PATH: pem('client-key'),
  });
});
afterAll(async () => {
  proxy.close();
  const ended = once(server.process, 'exit');
  server.process.kill();
  await ended;
  await home.remove();
  rmSync(folder, { recursive: true, force: true });
});

test('a worker says which commands of Temporal Cloud add its search attributes, and ends with status 3', async () => {
  const { status, stderr } = await home.runProcess(['worker']);
  expect(stderr).toContain(
    `temporal cloud namespace search-attribute create --namespace ${namespace} --name RepriseWaiting --type Keyword`,
  );
  expect(status).toBe(3);
});

test('worker and commands reach it by TLS, a certificate and an API key, of the environment or of a profile', async ({
  onTestFinished,
}) => {
  const connection = await Connection.connect({ address: server.address });
  const searchAttributes = { RepriseWaiting: 2, RepriseOutcome: 2, RepriseAttempt: 3, RepriseQuestion: 1 };
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  await connection.close();

  const worker = home.startProcess(['worker']);
  await worker.says(/Worker on 0\.0\.0\.0:\d+, namespace reprise\.a1b2c/);
  const asked = await home.run(['ask', 'What is a worker?', '--id', 'q1', '--json']);
  expect(asked).toMatchObject({ status: 0 });
  expect(JSON.parse(asked.stdout)).toMatchObject({ outcome: 'submitted' });

  const profile = join(folder, 'temporal.toml');
  writeFileSync(
    profile,
    `[profile.cloud]
address = "${proxy.address.replace('127.0.0.1', '0.0.0.0')}"
namespace = "${namespace}"
api_key = "${apiKey}"
[profile.cloud.tls]
server_name = "temporal.test"
server_ca_cert_path = "${pem('ca')}"
client_cert_path = "${pem('client')}"
client_key_path = "${pem('client-key')}"
`,
  );
  const other = await Home.make({ TEMPORAL_PROFILE: 'cloud', TEMPORAL_CONFIG_FILE: profile });
  onTestFinished(() => other.remove());
  other.address = '';
  const listed = await other.run(['list', '--json']);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id: 'q1' }]);

  const refused = await home.run(['list'], { TEMPORAL_API_KEY: 'another-key' });
  expect(refused.status).toBe(3);
  expect(refused.stderr).not.toContain('another-key');
  worker.process.kill('SIGTERM');
  expect(await worker.finished).toMatchObject({ status: 0 });
});
