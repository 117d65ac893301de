import { redact } from '../models/failures.ts';

/** `${NAME}`: what the variable NAME holds in the worker's environment. */
export const placeholder = /\$\{([A-Za-z_]\w*)\}/g;

/** Whether a value holds a secret itself, rather than the name of the variable that does. */
export function holdsSecret(value: string): boolean {
  // No pattern of a secret goes across a quotation mark.
  const literal = value.replace(placeholder, '"');
  return redact(literal, []) !== literal;
}
