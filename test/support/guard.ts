import type { Environment } from '../../src/util/environment.ts';
import { Guard } from '../../src/trust/guard.ts';

/** What a worker is allowed whose inputs all come from its owner. Keys go to no address of an unsigned input even so. */
export const everything = ['commands', 'modules', 'hosts=*', 'files=/'];

/** A guard that lets everything in, for tests of something else. */
export const openGuard = (environment: Environment = {}): Guard =>
  new Guard({
    allow: everything,
    configFolder: '.',
    environment,
    home: '/nowhere/.reprise',
    secret: () => Promise.resolve('the secret of a test'),
  });
