import { existsSync } from 'node:fs';
import { Argument, Command, Option, type OutputConfiguration } from 'commander';
import type { Kind } from '../config/kinds.ts';
import { version } from '../util/version.ts';
import { examples, whereExamplesAre } from './examples.ts';
import { exitStatusText, usageError } from './exit.ts';
import { mistypedVariables, unknownCommandText } from './mistyped.ts';
import {
  listed,
  listedSites,
  withAgents,
  withConfig,
  withId,
  withListening,
  withNotify,
  withOut,
  withStart,
  withTemporal,
  withTools,
  withView,
  withYes,
} from './options.ts';
import type { Output, Shell } from './shell.ts';

const kinds = ['team', 'agent', 'research', 'plan'] as const satisfies Kind[];

export function buildProgram(shell: Shell): Command {
  const program = new Command('reprise')
    .description('Teams of language-model agents as durable workflows on Temporal.')
    .version(version, '-v, --version')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput(outputOf(shell))
    .exitOverride()
    .hook('preAction', () => mistypedVariables(shell.env).forEach((line) => shell.say(line)));
  addRunCommands(shell, program);
  addPersonCommands(shell, program);
  addServiceCommands(shell, program);
  for (const command of [program, ...program.commands]) {
    const lines = examples[command.name()]?.map((line) => `  ${line}\n`);
    if (lines === undefined) continue;
    command.addHelpText('after', `\nExamples:\n${lines.join('')}`);
    if (command !== program) command.showHelpAfterError(whereExamplesAre(command.name()));
  }
  program.on('command:*', ([word = '']: string[]) =>
    program.error(unknownCommandText(word, [...program.commands.map((command) => command.name()), 'help'])),
  );
  return program.addHelpText('after', exitStatusText);
}

/** Where commander writes, and how wide lines are there. Commands below take this over. */
const outputOf = (shell: Shell): OutputConfiguration => ({
  writeOut: (text) => shell.stdout.write(shell.typed(text)),
  writeErr: (text) => shell.stderr.write(shell.typed(text)),
  getOutHelpWidth: () => widthOf(shell.stdout),
  getErrHelpWidth: () => widthOf(shell.stderr),
  getOutHasColors: () => shell.isColored(shell.stdout),
  getErrHasColors: () => shell.isColored(shell.stderr),
});

const widthOf = ({ columns, isTTY }: Output): number => (isTTY && columns) || 80;

/** Calls a command with its arguments and options. Its module is loaded then: Temporal's SDK takes longer than a help text. */
const on =
  (shell: Shell, load: () => Promise<(shell: Shell, ...given: never[]) => Promise<unknown>>) =>
  async (...given: unknown[]): Promise<void> => {
    const command = await load();
    // The last one is commander's own.
    await command(shell, ...(given.slice(0, -1) as never[]));
  };

function addRunCommands(shell: Shell, program: Command): void {
  withOut(withYes(withAgents(withTools(withStart(program.command('ask <task...>'))))))
    .description('a team answers, votes, and starts over while the result is not good enough')
    .action(on(shell, async () => (await import('./commands/start.ts')).ask));
  withAgents(withTools(withStart(program.command('start [task...]', { hidden: true })))).action(
    on(shell, async () => (await import('./commands/start.ts')).first),
  );
  withId(
    withOut(withYes(withAgents(withTools(withConfig(program.command('chat [text...]')))))),
    'continue an open session, or begin one of this id that stays open',
  )
    .description('a conversation with one agent or a team; without TEXT one turn for each line that is typed')
    .option('--history <file>', 'what was said before: JSON, [{"role", "content"}]')
    .action(on(shell, async () => (await import('./commands/chat.ts')).chat));
  withStart(program.command('research <idea...>'))
    .description('plans an idea, searches, criticises, and plans anew until it is good enough; then a report')
    .action(on(shell, async () => (await import('./commands/start.ts')).research));
  withOut(withYes(withTools(withStart(program.command('solve <problem...>')))))
    .description('plans a problem, carries out its subtasks, checks the answer, and repeats only what failed')
    .action(on(shell, async () => (await import('./commands/start.ts')).solve));
  withOut(withView(program.command('watch [id]')))
    .description('live view of a run, from any machine')
    .action(on(shell, async () => (await import('./commands/look.ts')).watch));
  program
    .command('validate <file>')
    .description('check a configuration file')
    .action(on(shell, async () => (await import('./commands/validate.ts')).validate));
  program
    .command('init [dir]')
    .description('write a configuration to begin with, a tool and its test; asks what you want')
    .addOption(new Option('--kind <kind>', 'what you want, without being asked').choices(kinds))
    .option('--model <name>', 'the model (default: REPRISE_MODEL, the provider whose key is set, or offline)')
    .action(on(shell, async () => (await import('./commands/init.ts')).init));
  program
    .command('schema')
    .addArgument(new Argument('[kind]', 'the kind of configuration (default: any)').choices(kinds))
    .description('print the JSON schema of a configuration, by which editors complete and check')
    .action(on(shell, async () => (await import('./commands/schema.ts')).schema));
}

function addPersonCommands(shell: Shell, program: Command): void {
  withNotify(withTemporal(program.command('inbox')))
    .description('everything that waits for a person, over all runs: questions, approvals, tool calls, missing keys')
    .option('--watch', 'go on, and print what is new as it appears')
    .option('--json', 'print one JSON array; with --watch one JSON object a line')
    .action(on(shell, async () => (await import('./commands/inbox.ts')).inbox));
  withTemporal(program.command('answer [id] [text...]'))
    .description('answer a question of a run; without TEXT the terminal prompts for it, - reads standard input')
    .option('--question <qid>', 'the question (default: the one that waits)')
    .option('--skip', 'pass: the agent goes on without an answer')
    .option('--plain', 'no emoji')
    .action(on(shell, async () => (await import('./commands/settle.ts')).answer));
  withTemporal(program.command('approve [id] [call]'))
    .description('decide about a tool call that waits for approval; without an option the terminal prompts')
    .option('--allow', 'let it run')
    .option('--deny [reason]', 'do not let it run; the agent is told why')
    .option('--edit <json>', 'let it run with other arguments: one JSON object')
    .option('--always', 'the same for all later calls of the tool in this run; without --deny it allows them')
    .option('--plain', 'no emoji')
    .action(on(shell, async () => (await import('./commands/settle.ts')).approve));
  withTemporal(program.command('restart [id]'))
    .description("ask for a restart of a team's run or of a research run, as a person")
    .requiredOption('--reason <reason>', 'why the present result, or the plan, is not good enough')
    .requiredOption('--instructions <instructions>', 'what is to be done instead')
    .action(on(shell, async () => (await import('./commands/steer.ts')).restart));
  withTemporal(program.command('decide [id]'))
    .description('end the loop of a research run, as a person')
    .option('--accept', 'its plan is good enough: on to the synthesis')
    .option('--stop', 'it is not worth more: end without a further model call')
    .option('--note <text>', 'why, for those who read it later')
    .action(on(shell, async () => (await import('./commands/steer.ts')).decide));
  withTemporal(program.command('list'))
    .description('the newest runs: question, kind, state, age, cost, and what each waits for')
    .option('--open', 'only runs that are open')
    .option('--limit <n>', 'how many (default: 20)')
    .option('--all', 'all that the server still has')
    .option('--json', 'print one JSON array')
    .option('--plain', 'nothing in bold or in color')
    .action(on(shell, async () => (await import('./commands/list.ts')).list));
  withOut(withTemporal(program.command('show [id]')))
    .description('all that a run has done: answers, votes, judgements, questions, tool calls, and cost by agent')
    .option('--prompts', 'what each model was sent, and what it replied')
    .option('--json', 'print one JSON object')
    .option('--plain', 'no emoji, nothing in bold')
    .action(on(shell, async () => (await import('./commands/look.ts')).show));
  withTemporal(program.command('open [id]'))
    .description('open the page of a run in the browser, or that of all runs')
    .action(on(shell, async () => (await import('./commands/look.ts')).openPage));
  withTemporal(program.command('prune'))
    .description('remove from the store what no open or kept run needs')
    .option('--dry-run', 'only say what would be removed')
    .option('--keep-days <n>', 'keep ended runs for so many days (default: as long as Temporal has them)')
    .option('--forget <id>', 'count the runs of a namespace no more that is gone for good')
    .option('--json', 'print what was removed as one JSON object')
    .action(on(shell, async () => (await import('./commands/prune.ts')).prune));
  withTemporal(program.command('cancel [id]'))
    .description('end a run with the best answer that it has so far')
    .option('--json', "print the workflow's result as one JSON object")
    .action(on(shell, async () => (await import('./commands/steer.ts')).cancel));
  withTemporal(program.command('stats'))
    .description('how often runs restart, what that gains and what it costs: over all runs that have completed')
    .option('--json', 'print the figures as one JSON object')
    .option('--plain', 'nothing in bold')
    .action(on(shell, async () => (await import('./commands/stats.ts')).stats));
}

function addServiceCommands(shell: Shell, program: Command): void {
  const withWorker = (command: Command): Command =>
    withTemporal(command)
      .addOption(
        new Option('--extensions <dir>', 'folder of named configurations and of your own modules')
          .default(shell.cwd, 'the current folder')
          .argParser((path) => {
            if (!existsSync(shell.path(path))) throw usageError(`--extensions: there is no folder ${path}`);
            return path;
          }),
      )
      .option(
        '--allow <what>',
        'what runs may bring that nobody of this home has started: commands, modules, hosts=NAME,…, files=DIR; may be given several times (also: REPRISE_ALLOW)',
        listed,
      );
  withWorker(program.command('up'))
    .description('embedded Temporal, Web UI and worker, until interrupted')
    .addOption(new Option('--background').hideHelp())
    .addOption(new Option('--unnamed').hideHelp())
    .addOption(new Option('--variable <name>').argParser(listed).hideHelp())
    .action(on(shell, async () => (await import('./commands/up.ts')).up));
  program
    .command('down')
    .description('end an `up` of this folder')
    .action(on(shell, async () => (await import('./commands/down.ts')).down));
  withTemporal(withListening(program.command('serve'), 8234, ', or another where that is taken'))
    .description(
      'pages, REST and the endpoints that programs speak (OpenAI, AG-UI, MCP, A2A) over HTTP, until interrupted',
    )
    .addOption(
      new Option('--configs <dir>', 'folder of the configurations that clients may name').default(
        shell.cwd,
        'the current folder',
      ),
    )
    .option('--url <address>', 'where clients reach it, if that is elsewhere (also: REPRISE_PUBLIC_URL)')
    .option('--origin <url>', 'a site whose pages may use it; may be given several times', listedSites)
    .option('--mcp-stdio', 'an MCP server on standard input and output, for the program that starts it, and no HTTP')
    .addOption(new Option('--inherited').hideHelp())
    .action(on(shell, async () => (await import('./commands/serve.ts')).serve));
  program
    .command('token')
    .description('print the token that opens the HTTP server, or one that opens less')
    .option('--read', 'one that may only read')
    .option('--start <name>', 'one that may only start this configuration; may be given several times', listed)
    .action(on(shell, async () => (await import('./commands/serve.ts')).token));
  program
    .command('login <server>')
    .description('log in at an MCP server that asks for it: by its address, or by its name in a configuration')
    .option('--config <file>', 'configuration file (YAML or JSON) that names the server')
    .action(on(shell, async () => (await import('./commands/login.ts')).login));
  withListening(program.command('codec-server'), 8235)
    .description("decrypt for Temporal's Web UI and CLI, where REPRISE_ENCRYPTION_KEY is set")
    .option('--origin <url>', 'a Web UI that may ask; may be given several times (default: that of `up`)', listedSites)
    .action(on(shell, async () => (await import('./commands/codec-server.ts')).codecServer));
  withWorker(program.command('worker'))
    .description('a worker alone')
    .option('--until-replaced', 'end when a newer version has taken over and no run needs this one any more')
    .action(on(shell, async () => (await import('./commands/worker.ts')).worker));
}
