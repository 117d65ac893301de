/** Loaded into a worker by `--import`: `Date` is wrong by the seconds in the file that `WRONG_DATE_FILE` names. */
import { readFileSync } from 'node:fs';

const file = process.env['WRONG_DATE_FILE'] ?? '';
const readEveryMs = 250;

let offset = 0;
const read = (): void => {
  offset = Number(readFileSync(file, 'utf8')) * 1000;
};
read();
setInterval(read, readEveryMs).unref();

const TrueDate = Date;
const trueNow = Date.now;

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, values, newTarget) =>
    Reflect.construct(target, values.length === 0 ? [trueNow() + offset] : values, newTarget) as Date,
  apply: () => new TrueDate(trueNow() + offset).toString(),
  get: (target, name, receiver) =>
    name === 'now' ? () => trueNow() + offset : (Reflect.get(target, name, receiver) as unknown),
});
