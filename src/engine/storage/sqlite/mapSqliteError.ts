/**
 * The one place where an error of SQLite becomes a CairnError with its cure (guarantee 5
 * of the port): nothing above storage ever sees a driver's code.
 */
import { CairnError, isCairnError } from '../../../base/errors.ts';

const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const PROTOCOL = 15;
const NOTADB = 26;
const UNREADABLE: ReadonlySet<number> = new Set([3, CANTOPEN, 23]);
/** Extended codes of IOERR that mean "the file is shorter or other than it must be". */
const IOERR_DAMAGE: ReadonlySet<number> = new Set([522, 8458]);
/** Extended codes of IOERR seen when the disk has no room left for the -shm or -wal file. */
const IOERR_NO_ROOM: ReadonlySet<number> = new Set([4874, 778]);

interface DriverError extends Error {
  readonly errcode: number;
}

function isDriverError(error: unknown): error is DriverError {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}

/** The extended result code of SQLite, or undefined when the error is not the driver's. */
export function sqliteCode(error: unknown): number | undefined {
  return isDriverError(error) ? error.errcode : undefined;
}

export const isBusy = (error: unknown): boolean => {
  const code = sqliteCode(error);
  return code !== undefined && [BUSY, LOCKED, PROTOCOL].includes(code & 0xff);
};

export const isDamage = (error: unknown): boolean => {
  if (isCairnError(error)) return error.code === 'STORE_CORRUPT';
  const code = sqliteCode(error);
  return code !== undefined && ([CORRUPT, NOTADB].includes(code & 0xff) || IOERR_DAMAGE.has(code));
};

/** CairnErrors and programming mistakes pass through; a driver's error becomes the CairnError whose cure fits. */
export function mapSqliteError(error: unknown, path: string): unknown {
  if (isCairnError(error)) return error;
  if (error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE') return new CairnError('STORE_CLOSED', `The store ${path} is closed.`, { cause: error });
  if (!isDriverError(error)) return mapFileError(error, path);
  const data = { path, sqlite: error.errcode };
  const primary = error.errcode & 0xff;
  if (isBusy(error)) return new CairnError('STORE_LOCKED', `Another process holds the store ${path}. Try again; if it goes on, look for a stopped Cairn or Claude Code process.`, { cause: error, data });
  if (isDamage(error)) return new CairnError('STORE_CORRUPT', `The store ${path} is damaged. Run \`cairn doctor --fix\`: it offers the last backup and what can be salvaged.`, { cause: error, data });
  if (primary === FULL || IOERR_NO_ROOM.has(error.errcode)) return new CairnError('STORE_FULL', `There is no room left for the store ${path}. Free some space and repeat; what was acknowledged before is kept.`, { cause: error, data });
  if (primary === READONLY) return new CairnError('STORE_READ_ONLY', `The store ${path} or its folder cannot be written. Check the permissions; reading still works.`, { cause: error, data });
  if (UNREADABLE.has(primary) || primary === IOERR) return new CairnError('STORE_UNREADABLE', `The store ${path} cannot be read (${error.message}). Check that the folder exists, its permissions and the disk.`, { cause: error, data });
  return new Error(`SQL failed in ${path}: ${error.message}`, { cause: error });
}

/** The same for node:fs errors around the store's files. */
export function mapFileError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const data = { path, system: error.code };
  switch (error.code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new CairnError('STORE_FULL', `There is no room left for ${path}. Free some space and repeat.`, { cause: error, data });
    case 'EROFS':
      return new CairnError('STORE_READ_ONLY', `${path} lies on a file system that cannot be written.`, { cause: error, data });
    case 'EACCES':
    case 'EPERM':
    case 'ENOTDIR':
    case 'EISDIR':
    case 'ELOOP':
    case 'EIO':
      return new CairnError('STORE_UNREADABLE', `${path} cannot be opened (${error.code}). Check its permissions, or set CAIRN_HOME to another folder.`, { cause: error, data });
    default:
      return error;
  }
}
