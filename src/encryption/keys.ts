import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Environment } from '../util/environment.ts';

/** The variable that turns encryption on, and how to make a key for it. */
export const keyVariable = 'REPRISE_ENCRYPTION_KEY';
export const howToMakeAKey = 'openssl rand -base64 32';

/** What a ciphertext is part of. Each purpose has keys of its own, so that nothing can be moved from one to the other. */
export type Purpose = 'payload' | 'store';

/** The variable does not hold keys. The message never has what it holds. */
export class BadKeyError extends Error {
  override name = 'BadKeyError';
}

/** Something was encrypted with a key that is not among those at hand. */
export class UnknownKeyError extends Error {
  override name = 'UnknownKeyError';

  constructor(id: string, known: readonly string[]) {
    const found = known.length === 0 ? 'is not set here' : `has ${known.join(', ')} here`;
    super(`This needs the encryption key ${id}: ${keyVariable} ${found}`);
  }
}

/** Something that is encrypted has been changed, or is not where it was put. */
export class TamperedError extends Error {
  override name = 'TamperedError';

  constructor(what: string, id: string) {
    super(`${what} that the key ${id} has encrypted was changed or moved, and is not read`);
  }
}

interface Key {
  /** A fingerprint, by which a ciphertext names its key. */
  id: string;
  secret: Buffer;
}

const keyBytes = 32;
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * The keys of `REPRISE_ENCRYPTION_KEY`: one or more, each of 32 bytes in base64, separated by commas. The first one encrypts,
 * and all of them decrypt. The cipher is AES-256-GCM with random nonces and, since a key is good for no more than 2³² of those, a
 * key of its own for each ciphertext, derived by a random salt (HKDF). A ciphertext is the salt, the nonce, the encrypted
 * bytes, and the tag.
 */
export class Keys {
  readonly #keys: Key[];

  constructor(keys: readonly Buffer[]) {
    this.#keys = keys.map((secret) => ({ id: fingerprint(secret), secret }));
  }

  get on(): boolean {
    return this.#keys.length > 0;
  }

  /** That of the key that encrypts comes first. */
  get ids(): string[] {
    return this.#keys.map(({ id }) => id);
  }

  /** Encrypts with the first key. @param bound what the ciphertext is for; it is only decrypted for the same */
  seal(purpose: Purpose, bound: string, content: Uint8Array): { id: string; sealed: Uint8Array<ArrayBuffer> } {
    const [key] = this.#keys;
    if (key === undefined) throw new Error(`${keyVariable} is not set`);
    const [salt, nonce] = [randomBytes(saltBytes), randomBytes(nonceBytes)];
    const cipher = createCipheriv('aes-256-gcm', derivedKey(key, purpose, salt), nonce, { authTagLength: tagBytes });
    cipher.setAAD(Buffer.from(bound));
    const sealed = new Uint8Array(
      Buffer.concat([salt, nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]),
    );
    return { id: key.id, sealed };
  }

  /** Decrypts. @param id of the key that has encrypted it @throws `UnknownKeyError`, `TamperedError` */
  open(purpose: Purpose, bound: string, id: string, sealed: Uint8Array): Uint8Array<ArrayBuffer> {
    const key = this.#keys.find((each) => each.id === id);
    if (key === undefined) throw new UnknownKeyError(id, this.ids);
    const what = purpose === 'payload' ? 'A payload' : 'A row of the store';
    const start = saltBytes + nonceBytes;
    if (sealed.length < start + tagBytes) throw new TamperedError(what, id);
    const end = sealed.length - tagBytes;
    const [salt, nonce] = [sealed.subarray(0, saltBytes), sealed.subarray(saltBytes, start)];
    const decipher = createDecipheriv('aes-256-gcm', derivedKey(key, purpose, salt), nonce, {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(bound));
    decipher.setAuthTag(sealed.subarray(end));
    try {
      return new Uint8Array(Buffer.concat([decipher.update(sealed.subarray(start, end)), decipher.final()]));
    } catch {
      throw new TamperedError(what, id);
    }
  }
}

/** Reads the keys of an environment; without the variable there are none. @throws `BadKeyError` */
export function readKeys(environment: Environment): Keys {
  const text = environment[keyVariable];
  if (text === undefined || text.trim() === '') return new Keys([]);
  const parts = text.split(',').map((part) => part.trim());
  const secrets = parts.map((part, index) => {
    const which = parts.length === 1 ? 'it' : `its key ${index + 1} of ${parts.length}`;
    // Node would leave out whatever is no base64.
    const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(part);
    const secret = Buffer.from(part, 'base64');
    if (isBase64 && secret.length === keyBytes) return secret;
    throw new BadKeyError(
      `${keyVariable}: ${which} is not ${keyBytes} bytes in base64. Make a key with: ${howToMakeAKey}; ` +
        'to change keys, put the new one before the old ones, separated by commas',
    );
  });
  return new Keys(secrets);
}

export function encryptionLine({ ids: [first, ...others] }: Keys): string {
  const old = others.length === 0 ? '' : `; it also reads what ${others.join(', ')} encrypted`;
  return `Encryption is on, with the key ${first}${old}`;
}

/** Eight hexadecimal digits, from which the key cannot be found out. */
const fingerprint = (secret: Buffer): string =>
  createHmac('sha256', secret).update('reprise key id').digest('hex').slice(0, 8);

const derivedKey = ({ secret }: Key, purpose: Purpose, salt: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, `reprise ${purpose}`, keyBytes));
