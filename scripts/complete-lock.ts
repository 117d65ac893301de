/**
 * Completes `package-lock.json` after a change of dependencies. A registry mirror that serves only one platform makes npm
 * leave the other platforms' optional packages out of the lock file, and `npm ci` then refuses it everywhere. This adds
 * what is missing by name, version and platform; npm fetches it only on that platform.
 *
 *   npm install --save-exact PACKAGE && node bin/bootstrap.mjs scripts/complete-lock.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface Locked {
  version?: string;
  optional?: boolean;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  optionalDependencies?: Record<string, string>;
}

const systems = 'darwin win32 linux freebsd android openharmony aix sunos netbsd openbsd wasm32'.split(' ');
const processors = 'x64 arm64 arm ia32 ppc64 s390x riscv64 loong64 mips64el wasm32'.split(' ');

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };
const wordsOf = (name: string): string[] => name.split(/[/-]/);
let added = 0;

for (const { optionalDependencies = {}, dev } of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const path = `node_modules/${name}`;
    const os = systems.filter((system) => wordsOf(name).includes(system));
    if (lock.packages[path] !== undefined || !/^\d/.test(version) || os.length === 0) continue;
    const cpu = processors.filter((processor) => wordsOf(name).includes(processor));
    lock.packages[path] = { version, ...(dev && { dev }), optional: true, os, ...(cpu.length > 0 && { cpu }) };
    added += 1;
  }
}

const sorted = Object.entries(lock.packages).sort(([one], [other]) => (one < other ? -1 : 1));
lock.packages = Object.fromEntries(sorted);
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} packages added`);
