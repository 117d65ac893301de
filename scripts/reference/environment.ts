import { meaningsOfOthers, meaningsOfVariables } from '../../src/config/environment-variables.ts';
import { table } from './table.ts';

const intro = `# Every variable of the environment

An empty variable counts as not set. [Configuration](../configuration.md#environment) says who reads them.`;

export const environmentPage = (): string =>
  `${intro}\n\n${table(
    ['variable', 'meaning'],
    Object.entries({ ...meaningsOfVariables, ...meaningsOfOthers }).map(([name, meaning]) => [`\`${name}\``, meaning]),
  )}\n`;
