import { z } from 'zod';

/** A type with all its properties at hand, as whatever may have more of them is compared. */
type Plain<T> = T extends object ? { [K in keyof T]: Plain<T[K]> } : T;

/**
 * The description of a type in the OpenAPI document, under a name. It may leave out what only some of its values have, and says
 * of the rest no more than is so: where a value of the type might not fit, it does not compile.
 */
export const described =
  <T>() =>
  <S extends z.ZodType>(name: string, schema: S & (Plain<T> extends z.output<S> ? unknown : never)): S =>
    schema.meta({ id: name });
