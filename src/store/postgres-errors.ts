/** A PostgreSQL server cannot be used, for now or as it is set up. */
export class PostgresUnavailableError extends Error {
  override name = 'PostgresUnavailableError';
  /** Whether somebody has to change something: the password, the name of the database, a permission, a certificate. */
  readonly isRefusal: boolean;

  /** @param place the server in words */
  constructor(place: string, cause: unknown) {
    const { code, message } = cause as { code?: string; message: string };
    // Where several addresses of one host were tried, the error has no text of its own.
    const reason = message === '' ? String(code) : message;
    super(`The store, ${place}, cannot be used: ${reason}`, { cause });
    this.isRefusal = typeof code === 'string' && refusals.test(code);
  }
}

/**
 * Codes by https://www.postgresql.org/docs/current/errcodes-appendix.html: of connections, conflicts of transactions, lacking
 * resources, an operator's intervention (57014 is a timeout), the system, a server that only reads, and a lock.
 */
const passing = /^(?:08|40|53|57|58)|^(?:25006|55P03)$/;

/** Of passwords and roles, a missing database or schema, and permissions; by OpenSSL's names, of certificates. */
const refusals = /^28|^(?:3D000|3F000|42501)$|CERT|^UNABLE_TO_VERIFY/;

/** What Node and the client say of connections, by code and by text. */
const network = /^E(?:CONN\w+|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH|HOSTDOWN|NETDOWN|NOTFOUND|AI_AGAIN|NOENT)$/;
const broken =
  /Connection (?:terminated|ended)|timeout exceeded|timeout expired|read timeout|not queryable|not support SSL/i;

/** Whether an error of `pg` says that the server cannot be used. */
export function isUnavailable(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  if (typeof code === 'string') return [passing, refusals, network].some((known) => known.test(code));
  return broken.test(message);
}

/** Whether another transaction was in the way of one, which can be done again: 40001, 40P01. */
export const isConflict = (error: unknown): boolean =>
  ['40001', '40P01'].includes(String((error as { code?: unknown } | undefined)?.code));
