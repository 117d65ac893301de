import { existsSync } from 'node:fs';
import { text as textOf } from 'node:stream/consumers';
import { Argument, Command, Option } from 'commander';
import type { Kind } from '../config/kinds.ts';
import { version } from '../util/version.ts';
import { examples, whereExamplesAre } from './examples.ts';
import { exitStatusText, usageError } from './exit.ts';
import { mistypedVariables } from './mistyped-variables.ts';
import { outputOf } from './output.ts';
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
  type CommonOptions,
  type FollowOptions,
} from './options.ts';
import { unknownCommandText } from './unknown-command.ts';
import type { ApproveOptions } from './commands/approve.ts';
import type { AnswerOptions } from './commands/answer.ts';
import type { CancelOptions } from './commands/cancel.ts';
import type { ChatOptions } from './commands/chat.ts';
import type { CodecServerOptions } from './commands/codec-server.ts';
import type { DecideOptions, RestartOptions } from './commands/steer.ts';
import type { InitOptions } from './commands/init.ts';
import type { InboxOptions } from './commands/inbox.ts';
import type { ListOptions } from './commands/list.ts';
import type { PruneOptions } from './commands/prune.ts';
import type { ShowOptions } from './commands/show.ts';
import type { LoginOptions } from './commands/login.ts';
import type { ServeOptions, TokenOptions } from './commands/serve.ts';
import type { StatsOptions } from './commands/stats.ts';
import type { Shell } from './shell.ts';
import type { UpOptions } from './commands/up.ts';
import type { WorkerOptions } from './commands/worker.ts';

const kinds = ['team', 'agent', 'research', 'plan'] as const satisfies Kind[];

// A command's module is loaded when the command is called: loading Temporal's SDK takes longer than printing a help text.
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

/** What the words of a command say: `-` alone is what comes by standard input. */
const said = async (shell: Shell, words: string[]): Promise<string> =>
  words.join(' ') === '-' ? (await textOf(shell.stdin)).trim() : words.join(' ');

function addRunCommands(shell: Shell, program: Command): void {
  withOut(withYes(withAgents(withTools(withStart(program.command('ask <task...>'))))))
    .description('a team answers, votes, and starts over while the result is not good enough')
    .action(async (task: string[], options: FollowOptions) =>
      (await import('./commands/start.ts')).ask(shell, await said(shell, task), options),
    );
  withAgents(withTools(withStart(program.command('start [task...]', { hidden: true })))).action(
    async (task: string[], options: FollowOptions) =>
      (await import('./commands/start.ts')).first(shell, task.join(' ') || undefined, options),
  );
  withId(
    withOut(withYes(withAgents(withTools(withConfig(program.command('chat [text...]')))))),
    'continue an open session, or begin one of this id that stays open',
  )
    .description('a conversation with one agent or a team; without TEXT one turn for each line that is typed')
    .option('--history <file>', 'what was said before: JSON, [{"role", "content"}]')
    .action(async (text: string[], options: ChatOptions) =>
      (await import('./commands/chat.ts')).chat(
        shell,
        text.length === 0 ? undefined : await said(shell, text),
        options,
      ),
    );
  withStart(program.command('research <idea...>'))
    .description('plans an idea, searches, criticises, and plans anew until it is good enough; then a report')
    .action(async (idea: string[], options: FollowOptions) =>
      (await import('./commands/start.ts')).research(shell, await said(shell, idea), options),
    );
  withOut(withYes(withTools(withStart(program.command('solve <problem...>')))))
    .description('plans a problem, carries out its subtasks, checks the answer, and repeats only what failed')
    .action(async (problem: string[], options: FollowOptions) =>
      (await import('./commands/start.ts')).solve(shell, await said(shell, problem), options),
    );
  withOut(withView(program.command('watch [id]')))
    .description('live view of a run, from any machine')
    .action(async (id: string | undefined, options: FollowOptions) =>
      (await import('./commands/watch.ts')).watch(shell, id, options),
    );
  program
    .command('validate <file>')
    .description('check a configuration file')
    .action(async (file: string) => (await import('./commands/validate.ts')).validate(shell, file));
  program
    .command('init [dir]')
    .description('write a configuration to begin with, a tool and its test; asks what you want')
    .addOption(new Option('--kind <kind>', 'what you want, without being asked').choices(kinds))
    .option('--model <name>', 'the model (default: REPRISE_MODEL, the provider whose key is set, or offline)')
    .action(async (dir: string | undefined, options: InitOptions) =>
      (await import('./commands/init.ts')).init(shell, dir ?? '.', options),
    );
  program
    .command('schema')
    .addArgument(new Argument('[kind]', 'the kind of configuration (default: any)').choices(kinds))
    .description('print the JSON schema of a configuration, by which editors complete and check')
    .action(async (kind: Kind | undefined) => (await import('./commands/schema.ts')).schema(shell, kind));
}

/** Commands by which a person deals with runs that exist already. */
function addPersonCommands(shell: Shell, program: Command): void {
  withNotify(withTemporal(program.command('inbox')))
    .description('everything that waits for a person, over all runs: questions, approvals, tool calls, missing keys')
    .option('--watch', 'go on, and print what is new as it appears')
    .option('--json', 'print one JSON array; with --watch one JSON object a line')
    .action(async (options: InboxOptions) => (await import('./commands/inbox.ts')).inbox(shell, options));
  withTemporal(program.command('answer [id] [text...]'))
    .description('answer a question of a run; without TEXT the terminal prompts for it, - reads standard input')
    .option('--question <qid>', 'the question (default: the one that waits)')
    .option('--skip', 'pass: the agent goes on without an answer')
    .option('--plain', 'no emoji')
    .action(async (id: string | undefined, text: string[], options: AnswerOptions) =>
      (await import('./commands/answer.ts')).answer(shell, id, text.length > 0 ? text.join(' ') : undefined, options),
    );
  withTemporal(program.command('approve [id] [call]'))
    .description('decide about a tool call that waits for approval; without an option the terminal prompts')
    .option('--allow', 'let it run')
    .option('--deny [reason]', 'do not let it run; the agent is told why')
    .option('--edit <json>', 'let it run with other arguments: one JSON object')
    .option('--always', 'the same for all later calls of the tool in this run; without --deny it allows them')
    .option('--plain', 'no emoji')
    .action(async (id: string | undefined, call: string | undefined, options: ApproveOptions) =>
      (await import('./commands/approve.ts')).approve(shell, id, call, options),
    );
  withTemporal(program.command('restart [id]'))
    .description("ask for a restart of a team's run or of a research run, as a person")
    .requiredOption('--reason <reason>', 'why the present result, or the plan, is not good enough')
    .requiredOption('--instructions <instructions>', 'what is to be done instead')
    .action(async (id: string | undefined, options: RestartOptions) =>
      (await import('./commands/steer.ts')).restart(shell, id, options),
    );
  withTemporal(program.command('decide [id]'))
    .description('end the loop of a research run, as a person')
    .option('--accept', 'its plan is good enough: on to the synthesis')
    .option('--stop', 'it is not worth more: end without a further model call')
    .option('--note <text>', 'why, for those who read it later')
    .action(async (id: string | undefined, options: DecideOptions) =>
      (await import('./commands/steer.ts')).decide(shell, id, options),
    );
  withTemporal(program.command('list'))
    .description('the newest runs: question, kind, state, age, cost, and what each waits for')
    .option('--open', 'only runs that are open')
    .option('--limit <n>', 'how many (default: 20)')
    .option('--all', 'all that the server still has')
    .option('--json', 'print one JSON array')
    .option('--plain', 'nothing in bold or in color')
    .action(async (options: ListOptions) => (await import('./commands/list.ts')).list(shell, options));
  withOut(withTemporal(program.command('show [id]')))
    .description('all that a run has done: answers, votes, judgements, questions, tool calls, and cost by agent')
    .option('--prompts', 'what each model was sent, and what it replied')
    .option('--json', 'print one JSON object')
    .option('--plain', 'no emoji, nothing in bold')
    .action(async (id: string | undefined, options: ShowOptions) =>
      (await import('./commands/show.ts')).show(shell, id, options),
    );
  withTemporal(program.command('open [id]'))
    .description('open the page of a run in the browser, or that of all runs')
    .action(async (id: string | undefined, options: CommonOptions) =>
      (await import('./commands/open.ts')).openPage(shell, id, options),
    );
  withTemporal(program.command('prune'))
    .description('remove from the store what no open or kept run needs')
    .option('--dry-run', 'only say what would be removed')
    .option('--keep-days <n>', 'keep ended runs for so many days (default: as long as Temporal has them)')
    .option('--forget <id>', 'count the runs of a namespace no more that is gone for good')
    .option('--json', 'print what was removed as one JSON object')
    .action(async (options: PruneOptions) => (await import('./commands/prune.ts')).prune(shell, options));
  withTemporal(program.command('cancel [id]'))
    .description('end a run with the best answer that it has so far')
    .option('--json', "print the workflow's result as one JSON object")
    .action(async (id: string | undefined, options: CancelOptions) =>
      (await import('./commands/cancel.ts')).cancel(shell, id, options),
    );
  withTemporal(program.command('stats'))
    .description('how often runs restart, what that gains and what it costs: over all runs that have completed')
    .option('--json', 'print the figures as one JSON object')
    .option('--plain', 'nothing in bold')
    .action(async (options: StatsOptions) => (await import('./commands/stats.ts')).stats(shell, options));
}

function addServiceCommands(shell: Shell, program: Command): void {
  const extensions = (): Option =>
    new Option('--extensions <dir>', 'folder of named configurations and of your own modules')
      .default(shell.cwd, 'the current folder')
      .argParser((path) => {
        if (!existsSync(shell.path(path))) throw usageError(`--extensions: there is no folder ${path}`);
        return path;
      });
  const allow = (): Option =>
    new Option(
      '--allow <what>',
      'what runs may bring that nobody of this home has started: commands, modules, hosts=NAME,…, files=DIR; may be given several times (also: REPRISE_ALLOW)',
    ).argParser(listed);
  withTemporal(program.command('up'))
    .description('embedded Temporal, Web UI and worker, until interrupted')
    .addOption(extensions())
    .addOption(allow())
    .addOption(new Option('--background').hideHelp())
    .addOption(new Option('--unnamed').hideHelp())
    .addOption(new Option('--variable <name>').argParser(listed).hideHelp())
    .action(async (options: UpOptions) => (await import('./commands/up.ts')).up(shell, options));
  program
    .command('down')
    .description('end an `up` of this folder')
    .action(async () => (await import('./commands/down.ts')).down(shell));
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
    .action(async (options: ServeOptions) => (await import('./commands/serve.ts')).serve(shell, options));
  program
    .command('token')
    .description('print the token that opens the HTTP server, or one that opens less')
    .option('--read', 'one that may only read')
    .option('--start <name>', 'one that may only start this configuration; may be given several times', listed)
    .action(async (options: TokenOptions) => (await import('./commands/serve.ts')).token(shell, options));
  program
    .command('login <server>')
    .description('log in at an MCP server that asks for it: by its address, or by its name in a configuration')
    .option('--config <file>', 'configuration file (YAML or JSON) that names the server')
    .action(async (server: string, options: LoginOptions) =>
      (await import('./commands/login.ts')).login(shell, server, options),
    );
  withListening(program.command('codec-server'), 8235)
    .description("decrypt for Temporal's Web UI and CLI, where REPRISE_ENCRYPTION_KEY is set")
    .option('--origin <url>', 'a Web UI that may ask; may be given several times (default: that of `up`)', listedSites)
    .action(async (options: CodecServerOptions) =>
      (await import('./commands/codec-server.ts')).codecServer(shell, options),
    );
  withTemporal(program.command('worker'))
    .description('a worker alone')
    .addOption(extensions())
    .addOption(allow())
    .option('--until-replaced', 'end when a newer version has taken over and no run needs this one any more')
    .action(async (options: WorkerOptions) => (await import('./commands/worker.ts')).worker(shell, options));
}
