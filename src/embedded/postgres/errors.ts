import { StartError } from '../../errors.js';

/** The embedded PostgreSQL cannot be used. The message is one sentence for the person at the terminal. */
export class EmbeddedPostgresError extends StartError {}

/** Another Formgate already runs on this data folder. */
export class FolderInUseError extends StartError {
  constructor(directory: string, address: string) {
    super(`Another Formgate is already using ${directory}${address && `; it answers at ${address}`}.`);
  }
}

const FULL = 'is full';
const BELONGS_TO_ANOTHER = 'cannot be used: it, or the folder above it, belongs to another user';
const FILE_IN_THE_WAY = 'cannot be made: a file stands in its way';

/** Explanations of failed file operations on the data folder, by error code. */
const FILE_ERRORS: Readonly<Record<string, string>> = {
  EACCES: BELONGS_TO_ANOTHER,
  EPERM: BELONGS_TO_ANOTHER,
  EROFS: 'is on a read-only disk',
  ENOSPC: FULL,
  EDQUOT: FULL,
  ENOTDIR: FILE_IN_THE_WAY,
  EEXIST: FILE_IN_THE_WAY,
  ENOTEMPTY: `holds something else than Formgate's PostgreSQL. Move it away, or choose another folder`,
};

const folderError = (directory: string, what: string) =>
  new EmbeddedPostgresError(`The data folder ${directory} ${what}.`);

/** Maps PostgreSQL's error output to an error; recognises each wording of a full disk. */
export function explainComplaint(complaints: string, directory: string, otherwise: string) {
  return /No space left on device|Check free disk space/.test(complaints)
    ? folderError(directory, FULL)
    : new EmbeddedPostgresError(otherwise);
}

/** Explains a failed file operation on the data folder; any other error is returned unchanged. */
export function explainFileError(error: unknown, directory: string): unknown {
  const what = FILE_ERRORS[(error as NodeJS.ErrnoException).code ?? ''];
  return what ? folderError(directory, what) : error;
}
