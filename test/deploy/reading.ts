import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** Path of a file of the project. */
export const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

export const read = (name: string): string => readFileSync(path(name), 'utf8');

/** A service of docker-compose.yml, as far as the tests look at it. */
export interface Service {
  profiles?: string[];
  image?: string;
  build?: string;
  restart?: string;
  environment?: Record<string, string>;
  ports?: string[];
  healthcheck?: { test: string[] };
  read_only?: boolean;
  ipc?: string;
  tmpfs?: string[];
  volumes?: string[];
  command?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  deploy?: { resources?: { limits?: { cpus?: string; memory?: string } } };
}

export const compose = (): { services: Record<string, Service> } =>
  parse(read('docker-compose.yml'), { merge: true }) as { services: Record<string, Service> };

/** An instruction of a Dockerfile, its lines joined. */
export interface Instruction {
  name: string;
  words: string;
}

export const dockerfile = (): Instruction[] =>
  read('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', words = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
      return { name, words };
    });
