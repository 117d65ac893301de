import type { Form, FormField, FormValue, InputRequest, InputResponse } from '../../protocol/tools/elicitation.ts';
import { argumentsIn } from '../agent/arguments.ts';

/**
 * The question by which a server's request is put to the person (Model Context Protocol, "Elicitation": a form is flat, and
 * its fields are texts, numbers, choices).
 *
 * @param origin `repeats`: the tool is called again from its beginning, although it declares that it takes effect each time
 * @param problem why the last answer could not be used
 */
export function questionOf(
  request: InputRequest,
  { repeats, server, tool }: { server: string; tool: string; repeats: boolean },
  problem?: string,
): string {
  const lines = [`The MCP server ${server} asks, for its tool ${tool}: ${request.message}`, ...waysToAnswer(request)];
  if (repeats) {
    lines.push(
      `${tool} declares that each call takes effect. It was ended when it asked, and is called again from its beginning ` +
        'with your answer: what it did before it asked happens twice. Skip the question to have it not called again.',
    );
  }
  if (problem !== undefined) lines.push(`The last answer could not be used: ${problem}.`);
  return lines.join('\n');
}

function waysToAnswer({ form, url }: InputRequest): string[] {
  if (url !== undefined)
    return [
      `Open ${url} and do what is asked there. Then answer: done. It is not opened for you; look at where it leads.`,
    ];
  const fields = Object.entries(form?.properties ?? {});
  const [only] = fields;
  if (only === undefined) return ['Answer yes or no.'];
  if (fields.length === 1) return [`Answer with ${fieldText(only, form)}`];
  return [
    ...fields.map((field) => `- ${fieldText(field, form)}`),
    'Answer with a line for each field, as in `name: value`, or with a JSON object.',
  ];
}

function fieldText([name, field]: [string, FormField], form?: Form): string {
  const { default: preset, description, title } = field;
  const kind = kindOf(field);
  const need = form?.required?.includes(name) ? '' : preset === undefined ? ', may be left out' : '';
  const standard = preset === undefined ? '' : `, ${JSON.stringify(preset)} if left out`;
  const about = [title, description].filter((part) => part !== undefined && part !== '').join(': ');
  return `${name} (${kind}${need}${standard})${about === '' ? '' : `: ${about}`}`;
}

function kindOf(field: FormField): string {
  const choices = choicesOf(field);
  const names = choices.map(({ title, value }) => (title === value ? value : `${value} = ${title}`)).join(' | ');
  switch (field.type) {
    case 'boolean':
      return 'yes or no';
    case 'integer':
      return `a whole number${range(field)}`;
    case 'number':
      return `a number${range(field)}`;
    case 'array':
      return `some of ${names}, separated by commas`;
    default:
      return choices.length === 0 ? 'text' : names;
  }
}

function range({ maximum, minimum }: FormField): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` from ${minimum}`;
  return maximum === undefined ? '' : ` up to ${maximum}`;
}

function choicesOf({ enum: values, enumNames = [], items, oneOf }: FormField): Array<{ value: string; title: string }> {
  const plain = (values ?? items?.enum ?? []).map((value, index) => ({ const: value, title: enumNames[index] }));
  return (oneOf ?? items?.anyOf ?? plain).map(({ const: value, title }) => ({
    value: String(value),
    title: title ?? String(value),
  }));
}

const no = /^(no|n|false|decline)$/i;
const yes = /^(yes|y|true)$/i;

/** What a person's answer means for a request, or why it cannot be used. */
export function readAnswer(
  { form, url }: InputRequest,
  text: string,
): { response: InputResponse } | { problem: string } {
  const fields = Object.entries(form?.properties ?? {});
  if (url !== undefined || form === undefined || fields.length === 0) {
    if (no.test(text.trim())) return { response: { action: 'decline' } };
    return { response: { action: 'accept', ...(url === undefined && { content: {} }) } };
  }
  const given = valuesIn(text.trim(), form.properties);
  if (typeof given === 'string') return { problem: given };
  const content: Record<string, FormValue> = {};
  const problems: string[] = [];
  for (const [name, field] of fields) {
    const value = given.get(name) ?? field.default;
    if (value === undefined || value === null || value === '') {
      if (form.required?.includes(name)) problems.push(`${name} is missing`);
      continue;
    }
    const read = valueOf(field, value);
    if (typeof read === 'object' && 'problem' in read) problems.push(`${name} ${read.problem}`);
    else content[name] = read;
  }
  return problems.length > 0 ? { problem: problems.join('; ') } : { response: { action: 'accept', content } };
}

/** The values that a text gives, by field, or why it cannot be read. */
function valuesIn(text: string, fields: Form['properties']): Map<string, unknown> | string {
  const object = text.startsWith('{') ? argumentsIn(text) : undefined;
  const entries = object === undefined ? linesIn(text, fields) : Object.entries(object);
  const [only, ...others] = Object.keys(fields);
  if (object === undefined && others.length === 0 && only !== undefined) {
    const named = entries.find((entry) => entry !== undefined);
    return new Map([[only, entries.length === 1 && named !== undefined ? named[1] : text]]);
  }
  const values = new Map<string, unknown>();
  for (const entry of entries) {
    if (entry === undefined) return 'each line must begin with the name of a field and a colon';
    const name = fieldNamed(entry[0], fields);
    if (name === undefined) return `there is no field ${entry[0]}; there are ${Object.keys(fields).join(', ')}`;
    values.set(name, entry[1]);
  }
  return values;
}

/** The lines `name: value` of a text; undefined for one that begins with no field's name. */
function linesIn(text: string, fields: Form['properties']): Array<[string, string] | undefined> {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const colon = line.indexOf(':');
      const name = colon < 0 ? undefined : fieldNamed(line.slice(0, colon).replace(/^\s*-\s+/, ''), fields);
      return name === undefined ? undefined : [name, line.slice(colon + 1).trim()];
    });
}

function fieldNamed(written: string, fields: Form['properties']): string | undefined {
  const name = written.trim();
  if (Object.hasOwn(fields, name)) return name;
  const same = (other = ''): boolean => other.toLowerCase() === name.toLowerCase();
  return Object.entries(fields).find(([key, { title }]) => same(key) || same(title))?.[0];
}

function valueOf(field: FormField, given: unknown): FormValue | { problem: string } {
  if (field.type === 'array') return severalOf(field, given);
  const text = typeof given === 'string' ? given.trim() : JSON.stringify(given);
  switch (field.type) {
    case 'boolean':
      if (yes.test(text)) return true;
      return no.test(text) ? false : { problem: 'must be yes or no' };
    case 'integer':
    case 'number':
      return numberOf(field, text);
    default:
      return choicesOf(field).length > 0 ? oneOf(field, text) : textOf(field, text);
  }
}

function numberOf(field: FormField, text: string): number | { problem: string } {
  const { maximum = Infinity, minimum = -Infinity, type } = field;
  const number = Number(text);
  const isRight = text !== '' && Number.isFinite(number) && (type !== 'integer' || Number.isInteger(number));
  return isRight && number >= minimum && number <= maximum ? number : { problem: `must be ${kindOf(field)}` };
}

function textOf({ maxLength = Infinity, minLength = 0 }: FormField, text: string): string | { problem: string } {
  if (text.length < minLength) return { problem: `must have at least ${minLength} characters` };
  return text.length > maxLength ? { problem: `may have ${maxLength} characters` } : text;
}

function oneOf(field: FormField, text: string): string | { problem: string } {
  const choices = choicesOf(field);
  const same = (written: string): boolean => written.toLowerCase() === text.toLowerCase();
  const found =
    choices.find(({ value }) => value === text) ?? choices.find(({ title, value }) => same(value) || same(title));
  return found?.value ?? { problem: `must be one of ${choices.map(({ value }) => value).join(', ')}` };
}

function severalOf(field: FormField, given: unknown): string[] | { problem: string } {
  const { maxItems = Infinity, minItems = 0 } = field;
  const written = Array.isArray(given) ? given.map(String) : String(given).split(',');
  const values: string[] = [];
  for (const each of written.map((text) => text.trim()).filter((text) => text !== '')) {
    const value = oneOf(field, each);
    if (typeof value !== 'string') return value;
    values.push(value);
  }
  if (values.length < minItems) return { problem: `needs at least ${minItems}` };
  return values.length > maxItems ? { problem: `may have ${maxItems}` } : values;
}
