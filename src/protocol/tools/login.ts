/**
 * A server that asks for a login which its worker does not have is waited for as a missing key is, under a name of its own in
 * the place of a variable's.
 */
const prefix = 'login ';

/** What a run waits for. @param url the server's address */
export const loginName = (url: string): string => `${prefix}${url}`;

/** The address of the server that a run waits for; undefined where it waits for a variable. */
export const loginAddress = (name: string): string | undefined =>
  name.startsWith(prefix) ? name.slice(prefix.length) : undefined;

/** The command by which a person logs in, as a shell takes it. */
export const loginCommand = (url: string): string =>
  `reprise login ${/^[\w:/.%@~+-]+$/.test(url) ? url : `'${url.replaceAll("'", String.raw`'\''`)}'`}`;
