import type { Backend } from '../../config/backend.ts';
import type { Text } from '../../protocol/message.ts';

/** Who an agent is: the same through all its conversations. */
export interface Persona {
  /** Configured id. */
  id: string;
  /** `system_message`. */
  text: Text | undefined;
  backend: Backend;
}
