import { docker } from './programs.ts';
import type { Stack } from './stack.ts';
import { must, type Table } from './table.ts';

/** How many processes a bomb would start. */
const bomb = 1500;

/** Prints that something could be written, for each of these paths where it could. */
const writing = (...paths: string[]): string =>
  paths.map((path) => `(echo x >${path}) 2>/dev/null && echo "BROKEN: wrote ${path}"`).join('\n');

/** Connects to a database and prints that a statement could be run, for each of these. */
function querying(database: string, user: string, password: string, ...statements: string[]): string {
  const code = `
    import pg from 'pg';
    const url = new URL(process.env.DATABASE_URL);
    url.pathname = '/${database}';
    if ('${user}') [url.username, url.password] = ['${user}', '${password}'];
    for (const statement of ${JSON.stringify(statements)}) {
      const client = new pg.Client({ connectionString: url.href });
      await client.connect().then(() => client.query(statement)).then(
        () => console.log('BROKEN: ' + statement),
        (error) => console.log(error.message),
      );
      await client.end().catch(() => {});
    }`;
  return `cd /reprise && node --input-type=module -e ${quoted(code)}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** What somebody might do who has taken over a worker, each a script that prints "BROKEN" where it has succeeded. */
const attacks = (password: string): Array<[name: string, script: string]> => [
  ['writes the root', writing('/x', '/etc/x', '/usr/local/bin/x', '/reprise/x', '/reprise/bin/reprise.mjs')],
  ['writes /config', writing('/config/x.yaml', '/config/README.md')],
  ['writes /dev/shm', writing('/dev/shm/x', '/dev/x')],
  [
    'gains privileges',
    `grep -q '^CapEff:.0*$' /proc/self/status || echo "BROKEN: capabilities"
     grep -q '^NoNewPrivs:.1$' /proc/self/status || echo "BROKEN: new privileges"
     [ "$(id -u)" = 0 ] && echo "BROKEN: is root"
     mount -t tmpfs none /tmp 2>&1 && echo "BROKEN: mounts"
     chown 0 /tmp 2>&1 && echo "BROKEN: gives files away"`,
  ],
  [
    'starts a program from where it can write',
    'cp /bin/true /tmp/true; cp /bin/true /data/true; /tmp/true 2>&1 && echo "BROKEN: /tmp"; /data/true 2>&1 && echo "BROKEN: /data"',
  ],
  [
    'reads the environment of other containers',
    `cat /proc/*/environ 2>/dev/null | grep -q ${password} && echo "BROKEN: the superuser's password"
     ls /proc | grep -c '^[0-9]' >/dev/null; ls /var/run/docker.sock 2>&1 && echo "BROKEN: the engine's socket"`,
  ],
  [
    'connects to the database of PostgreSQL’s superuser',
    `${querying('postgres', '', '', 'SELECT 1')}\n${querying('template1', '', '', 'SELECT 1')}`,
  ],
  [
    'reads Temporal’s databases',
    [
      querying('temporal', '', '', 'SELECT 1', 'SELECT * FROM executions', 'CREATE TABLE x ()'),
      querying('temporal_visibility', '', '', 'SELECT 1', 'SELECT * FROM executions_visibility'),
    ].join('\n'),
  ],
  [
    'becomes PostgreSQL’s superuser',
    [
      querying(
        'reprise',
        '',
        '',
        'ALTER ROLE reprise SUPERUSER',
        'SET ROLE temporal',
        "SELECT pg_read_file('/etc/passwd')",
      ),
      querying('reprise', '', '', "COPY (SELECT 1) TO PROGRAM 'id'", 'SELECT rolpassword FROM pg_authid'),
      querying('temporal', 'temporal', 'temporal', 'SELECT 1'),
    ].join('\n'),
  ],
];

/** Tries attacks from inside a worker's container. */
export async function attackFromWorker(stack: Stack, table: Table): Promise<void> {
  for (const [name, script] of attacks(stack.password)) {
    await table.row(`worker: ${name}`, async () => {
      const { output } = await stack.inside('worker', `${script}\necho tried`);
      must(!output.includes('BROKEN'), output);
      must(output.endsWith('tried'), `was not tried: ${output}`);
      return 'kept out';
    });
  }
  await table.row('worker: bombs with processes', async () => {
    const worker = (await stack.containers('worker')).find((name) => name.endsWith('-1')) ?? '';
    const bombing = stack.inside(
      'worker',
      `n=0; while [ $n -lt ${bomb} ]; do sleep 10 & n=$((n + 1)); done 2>/dev/null; wait`,
    );
    const processes = async (): Promise<number> =>
      Number(await docker('stats', '--no-stream', '--format', '{{.PIDs}}', worker));
    let most = 0;
    // Until it has ended, since it may begin late.
    while ((await Promise.race([bombing, Promise.resolve()])) === undefined) most = Math.max(most, await processes());
    must(most > 100 && most <= 512, `${most} processes`);
    return `ends at ${most}`;
  });
  await table.row('the workers after that', async () => {
    const states = await stack.compose('ps', '--format', '{{.Name}} {{.Status}}', 'worker');
    must(
      states.split('\n').every((line) => line.includes('(healthy)')),
      states,
    );
    return 'healthy';
  });
}
