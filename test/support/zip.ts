import { crc32, deflateRawSync } from 'node:zlib';
import { openZip } from '../../src/tools/attachments/archives/zip.ts';

/** A file of a zip archive, with what makes an archive hostile. */
export interface Zipped {
  content: string | Buffer;
  /** Whether it is packed; true if absent. */
  packed?: boolean;
  /** The Unix mode, such as 0o120777 for a link. */
  mode?: number;
  encrypted?: boolean;
  /** The size unpacked that the archive claims, in place of the true one. */
  claims?: number;
  /** The number of the way by which it says that it is packed. */
  way?: number;
}

/** A zip archive (APPNOTE 4.3), as a packing program or an attacker makes it. */
export function zipOf(files: Record<string, string | Buffer | Zipped>): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const [path, file] of Object.entries(files)) {
    const {
      claims,
      content,
      encrypted = false,
      mode = 0o100644,
      packed = true,
      way = packed ? 8 : 0,
    } = typeof file === 'string' || Buffer.isBuffer(file) ? { content: file } : file;
    const bytes = Buffer.from(content);
    const body = packed ? deflateRawSync(bytes) : bytes;
    const name = Buffer.from(path);
    // From the version needed to the length of the extra fields, which both headers share.
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(0x800 | (encrypted ? 1 : 0), 2);
    shared.writeUInt16LE(way, 4);
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(body.length, 14);
    shared.writeUInt32LE(claims ?? bytes.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(at, 10);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, name, body]);
    central.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), shared, rest, name);
    locals.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  const count = Object.keys(files).length;
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, directory, end]);
}

/** The parts of a file that is a zip archive. */
export async function partsOf(bytes: Buffer): Promise<Record<string, Buffer>> {
  const members = await openZip(bytes, { members: 100, bytes: 1_000_000 });
  const parts: Record<string, Buffer> = {};
  for (const member of members) parts[member.name] = await member.read();
  return parts;
}
