import { describe, expect, test } from 'vitest';
import { findingTools, found } from '../../../src/tools/mcp/find.ts';
import type { ToolSpec } from '../../../src/protocol/message.ts';

const spec = (name: string, description = '', keys: string[] = []): ToolSpec => ({
  name,
  description,
  parameters: { type: 'object', properties: Object.fromEntries(keys.map((key) => [key, { type: 'string' }])) },
});

const tools = [
  spec('create_issue', 'Opens an issue in a project.', ['title']),
  spec('list_issues', 'Lists the issues of a project.', ['state']),
  spec('getPage', 'Reads a page.', ['slug']),
  spec('send_mail', 'Writes to somebody.', ['recipient']),
];

const namesFound = (query: string): string[] =>
  [...found(tools, query).matchAll(/^(?!arguments)(\w+): /gm)].map(([, name = '']) => name);

describe('tools are found', () => {
  test.each([
    ['by words of their names, the best first', 'create an issue', ['create_issue', 'list_issues']],
    ['by words in another form', 'pages', ['getPage']],
    ['by what they are said to do', 'write to a customer', ['send_mail']],
    ['by their arguments', 'recipient', ['send_mail']],
    ['by their names', 'list_issues', ['list_issues', 'create_issue']],
  ])('%s', (_, query, names) => {
    expect(namesFound(query)).toEqual(names);
  });

  test('with all that is needed to call them', () => {
    expect(found(tools, 'mail')).toBe(
      'send_mail: Writes to somebody.\narguments: {"type":"object","properties":{"recipient":{"type":"string"}}}\n\n' +
        'Call one by call_tool {"name": …, "arguments": {…}}.',
    );
  });

  test('or the names of all are told', () => {
    expect(found(tools, 'weather')).toBe('No tool fits. There are: create_issue, list_issues, getPage, send_mail');
  });
});

test('however many there are, what is offered and what is found stay short', () => {
  const many = Array.from({ length: 2000 }, (_, at) =>
    spec(`do_something_${at}`, 'Does something. '.repeat(200), ['a']),
  );
  expect(JSON.stringify(findingTools(many)).length).toBeLessThan(4000);
  expect(found(many, 'something').length).toBeLessThan(16_000);
});
