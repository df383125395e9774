/** The embedded PostgreSQL cannot be used. The message is one sentence for the person at the terminal. */
export class EmbeddedPostgresError extends Error {}

/** Another Formgate already runs on this data folder. */
export class FolderInUseError extends Error {
  constructor(directory: string, address: string) {
    super(`Another Formgate is already using ${directory}${address && `; it answers at ${address}`}.`);
  }
}

/** Makes the error for what PostgreSQL complained about; a full disk has many wordings and one cause. */
export function explainComplaint(complaints: string, directory: string, otherwise: string) {
  const isDiskFull = /No space left on device|Check free disk space/.test(complaints);
  return new EmbeddedPostgresError(
    isDiskFull ? `The disk of the data folder ${directory} is full.` : otherwise,
  );
}

/** Says what a failed file operation on the data folder means; any other error is returned as it is. */
export function explainFileError(error: unknown, directory: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return new EmbeddedPostgresError(
        `The data folder ${directory} cannot be used: it, or the folder above it, belongs to another user.`,
      );
    case 'EROFS':
      return new EmbeddedPostgresError(`The data folder ${directory} is on a read-only disk.`);
    case 'ENOSPC':
    case 'EDQUOT':
      return new EmbeddedPostgresError(`The disk of the data folder ${directory} is full.`);
    case 'ENOTDIR':
    case 'EEXIST':
      return new EmbeddedPostgresError(
        `The data folder ${directory} cannot be made: a file stands in its way.`,
      );
    case 'ENOTEMPTY':
      return new EmbeddedPostgresError(
        `The data folder ${directory} holds something else than Formgate's PostgreSQL. Move it away, or choose another folder.`,
      );
    default:
      return error;
  }
}
