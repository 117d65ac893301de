import type { Backend } from '../config/backend.ts';

/** Who an agent is: the same through all its conversations. */
export interface Persona {
  /** Configured id. */
  id: string;
  backend: Backend;
}
