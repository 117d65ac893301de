/** The workflow types: what this module exports can be started by name. */
export { orchestration } from './orchestration.ts';
export { session } from './session.ts';
