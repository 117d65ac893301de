import { grouped } from '../../util/file-limits.ts';
import { isObject } from '../../util/values.ts';
import { Yielder } from '../../util/yielder.ts';
import { noted } from './readable.ts';
import { columnNames, type Table } from './table.ts';

/** What is wrong with a JSON text or with the lines of a JSONL text, or no row of its table; undefined if nothing is. */
export async function jsonNote(text: string, mediaType: string): Promise<string | undefined> {
  if (mediaType !== 'application/jsonl') {
    const { problem, value } = parsed(text);
    if (problem !== undefined) return `it is not valid JSON (${problem}): it can be read as a plain text only`;
    const all = entriesOf(value);
    return othersNote(all.filter(isObject).length, all.length) ?? listsNote(value);
  }
  const lines = text.split('\n');
  const bad: number[] = [];
  let [records, entries] = [0, 0];
  const yielder = new Yielder();
  for (const [index, line] of lines.entries()) {
    const { problem, value } = line.trim() === '' ? {} : parsed(line);
    if (problem !== undefined) bad.push(index + 1);
    const all = entriesOf(value);
    records += all.filter(isObject).length;
    entries += all.length;
    if (yielder.due) await yielder.yield();
  }
  const wrong = `${bad.length} of its ${lines.length} lines are not valid JSON (the first: line ${bad[0]})`;
  return noted([bad.length > 0 && wrong, othersNote(records, entries)]).note;
}

const entriesOf = (value: unknown): unknown[] => (value === undefined ? [] : [value].flat());

const othersNote = (records: number, entries: number): string | undefined =>
  records === entries || records === 0
    ? undefined
    : `${entries - records} of its ${entries} entries are no objects, and so no rows for query_table`;

type JsonRecord = Record<string, unknown>;

/** The lists of records in an object, not too deep, by where they are, such as `log.entries`. */
function listsIn(value: unknown, path: string[] = []): Array<[path: string, records: JsonRecord[]]> {
  if (!isObject(value) || path.length > 4) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const here = [...path, key];
    if (!Array.isArray(each) || each.length === 0 || !each.every(isObject)) return listsIn(each, here);
    return [[here.join('.'), each]];
  });
}

function listsNote(value: unknown): string | undefined {
  const lists = listsIn(value);
  if (lists.length === 0) return undefined;
  const named = lists.slice(0, 10).map(([path, records]) => `"${path}" (${grouped(records.length)} rows)`);
  return `lists in it are tables of query_table: ${named.join(', ')}${lists.length > 10 ? ', …' : ''}`;
}

/** Records in JSON or JSONL as the table `data`, and the lists in a record as tables of their own. Empty for anything else. */
export function tablesOfJson(text: string, mediaType: string): Map<string, Table> {
  const lines = mediaType === 'application/jsonl' ? text.split('\n') : [text];
  const values = lines.map((line) => parsed(line, exactly).value);
  const records = values.flat().filter(isObject);
  if (records.length === 0) return new Map();
  const lists = values.length === 1 ? listsIn(values[0]) : [];
  // A list that is called data is what is asked for.
  const own = lists.some(([path]) => path.toLowerCase() === 'data') ? 'record' : 'data';
  const tables: Array<[name: string, records: JsonRecord[]]> = [[own, records], ...lists];
  return new Map(tables.map(([name, all]) => [name, tableOf(all)]));
}

function tableOf(records: JsonRecord[]): Table {
  const keys = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const rows = records.map((record) => keys.map((key) => cellOf(record[key])));
  return { columns: columnNames(keys), rows };
}

/** Keeps what a number cannot hold, such as a long id, as its digits. */
function exactly(_: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;
}

function parsed(text: string, revive?: typeof exactly): { value?: unknown; problem?: string } {
  try {
    return { value: JSON.parse(text, revive) as unknown };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
