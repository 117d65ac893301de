/**
 * Tries what people do who have two projects, two keys and three terminals, and tells what that did to runs that wait for
 * an answer: `npm run example scripts/side-by-side.ts [RUNS] [COMMANDS]`.
 */
import { findTemporalCli } from '../src/local/temporal-cli.ts';
import { sideBySide } from '../test/support/side-by-side.ts';

const [runs = 20, commands = 20] = process.argv.slice(2).map(Number);
const say = (text: string): void => console.error(text);
const { failed, hurt, wrongKeys } = await sideBySide({ runs, commands, temporal: await findTemporalCli(say), say });
for (const text of [...hurt, ...failed, ...wrongKeys]) console.log(text);
console.log(
  `${hurt.length} of ${runs} waiting runs hurt by ${commands} other commands and an upgrade; ` +
    `${failed.length} commands failed, ${wrongKeys.length} requests with another project's key`,
);
process.exit(hurt.length + failed.length + wrongKeys.length === 0 ? 0 : 1);
