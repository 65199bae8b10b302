/**
 * A disk that can be filled: a file system in memory, laid over a folder that keeps its contents. Needs Linux and root;
 * where it cannot be had, `layOver` gives the reason instead.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export interface SmallDisk {
  /** Takes all the room that is left. */
  fill(): void;
  /** Gives it back. */
  free(): void;
  /** Takes the disk away; what is on it stays in the folder. */
  remove(): void;
}

const FILLER = '.filler';

export function layOver(folder: string, sizeMb: number): SmallDisk | string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a disk of its own needs Linux and root';
  const copy = `${folder}.copy`;
  fs.cpSync(folder, copy, { recursive: true });
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m,mode=0700`, 'tmpfs', folder], { encoding: 'utf8' });
  if (mounted.status !== 0) {
    fs.rmSync(copy, { recursive: true });
    return `mount refused: ${mounted.stderr.trim()}`;
  }
  fs.cpSync(copy, folder, { recursive: true });
  const filler = path.join(folder, FILLER);
  return {
    fill() {
      const file = fs.openSync(filler, 'w', 0o600);
      try {
        for (const part of [1 << 20, 1 << 12]) {
          const bytes = Buffer.alloc(part);
          try {
            while (fs.writeSync(file, bytes) === part);
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          }
        }
      } finally {
        fs.closeSync(file);
      }
    },
    free: () => fs.rmSync(filler, { force: true }),
    remove() {
      fs.rmSync(filler, { force: true });
      fs.rmSync(copy, { recursive: true, force: true });
      fs.cpSync(folder, copy, { recursive: true });
      spawnSync('umount', ['-l', folder]);
      fs.cpSync(copy, folder, { recursive: true });
      fs.rmSync(copy, { recursive: true });
    },
  };
}
