import { chmodSync, lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { privateFolder, privateMode } from '../util/private-files.ts';

/** A home folder in which others could read, change or replace what is kept there. */
export class UnsafeHomeError extends Error {}

/** What Reprise keeps in a home. A home may be a folder that holds other things, which are none of its business. */
const kept =
  /^(bundles|logins|logs|outputs|workers|last-use|secret|up\.(json|lock).*|(temporal\.db|store\.sqlite)(-\w+)?)$/;

const ofOthers = 0o077;

/**
 * Makes a home folder where there is none, and closes it to other users, with all that is kept in it; not on Windows.
 *
 * @param say is told that the folder was open until now
 * @throws `UnsafeHomeError` where it belongs to somebody else, or is a link into a place that does
 */
export function protectHome(home: string, say: (text: string) => void): void {
  privateFolder(home);
  const user = process.geteuid?.();
  if (process.platform === 'win32' || user === undefined) return;
  const isTrusted = ({ uid }: Stats): boolean => uid === user || uid === 0;
  const refuse = (reason: string): never => {
    throw new UnsafeHomeError(
      `The folder of Reprise's data is not safe: ${reason}. Let REPRISE_HOME name a folder of your own`,
    );
  };
  const real = realpathSync(home);
  if (real !== home && lstatSync(home).isSymbolicLink()) {
    if (!isTrusted(lstatSync(home))) refuse(`${home} is a link that user ${lstatSync(home).uid} has made`);
    for (let folder = dirname(real); folder !== dirname(folder); folder = dirname(folder)) {
      const { uid } = lstatSync(folder);
      if (uid !== user && uid !== 0) refuse(`${home} is a link into ${folder}, which belongs to user ${uid}`);
    }
  }
  const { mode, uid } = lstatSync(real);
  if (uid !== user) {
    // What belongs to root is a volume of a container, which is mounted like that. Others may be in its group.
    const isVolume = uid === 0 && (mode & 0o007) === 0;
    if (!isVolume) refuse(`${home} belongs to user ${uid}, and this is user ${user}`);
    return;
  }
  if ((mode & ofOthers) !== 0) {
    chmodSync(real, privateMode.folder);
    say(`${home} was open to other users of this machine (${(mode & 0o777).toString(8)}); it is closed to them now`);
  }
  for (const name of readdirSync(real)) if (kept.test(name)) close(join(real, name));
}

/** Closes a file, or a folder with all that is in it. A link is left alone: what it leads to may be anything. */
function close(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  // Other processes of the home make and remove files meanwhile.
  if (found === undefined || found.isSymbolicLink()) return;
  try {
    if ((found.mode & ofOthers) !== 0) chmodSync(path, found.isDirectory() ? privateMode.folder : privateMode.file);
    if (found.isDirectory()) for (const name of readdirSync(path)) close(join(path, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
