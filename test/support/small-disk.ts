import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly folder: string;
  /** Fills it, completely or except some bytes. */
  fill(except?: number): void;
  /** Frees the space again. */
  free(): void;
  remove(): void;
}

/** A small file system in memory; null if mounting is not allowed. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmdirSync(folder);
    return null;
  }
  chmodSync(folder, 0o777);
  const filler = join(folder, 'filler');
  return {
    folder,
    fill(except = 0) {
      const file = openSync(filler, 'w');
      for (let size = 1_048_576; size >= 1; ) {
        try {
          writeSync(file, Buffer.alloc(size));
        } catch {
          size = Math.floor(size / 2);
        }
      }
      ftruncateSync(file, fstatSync(file).size - except);
      closeSync(file);
    },
    free: () => rmSync(filler),
    remove() {
      execFileSync('umount', ['--lazy', folder]);
      rmdirSync(folder);
    },
  };
}
