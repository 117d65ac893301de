/** Holds a database's write lock until its stdin ends: `node locker.ts FILE`. Prints a line when it has it. */
import { DatabaseSync } from 'node:sqlite';

const database = new DatabaseSync(process.argv[2] ?? '', { timeout: 5000 });
database.exec('BEGIN IMMEDIATE');
console.log('locked');
process.stdin.resume().on('end', () => database.exec('COMMIT'));
