import { gzipSync } from 'node:zlib';

export interface TarMember {
  readonly name: string;
  readonly content?: string | Uint8Array;
  /** The type flag: `0` a file, `5` a folder, `2` a link. */
  readonly type?: string;
  /** What the header says, where that is not the truth. */
  readonly size?: number;
  /** Where a link leads. */
  readonly target?: string;
}

/** A small tar archive, compressed. */
export function tarGz(members: readonly TarMember[]): Uint8Array {
  return gzipSync(tar(members));
}

export function tar(members: readonly TarMember[]): Buffer {
  const blocks = members.flatMap(({ name, content = '', type = '0', size, target = '' }) => {
    const bytes = Buffer.from(content);
    return [header(name, size ?? bytes.length, type, target), bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

function header(name: string, size: number, type: string, target: string): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0, 100);
  block.write('0000644\0', 100);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('        ', 148);
  block.write(type, 156);
  block.write(target, 157, 100);
  block.write('ustar\x0000', 257);
  block.write(
    `${block
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  return block;
}
