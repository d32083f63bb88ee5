/** The embedded server cannot run. The message is one sentence that names the directory or the setting. */
export class EmbeddedServerError extends Error {
  override name = 'EmbeddedServerError'
}

/** Another running service holds the lock on the data directory. Its server must not be stopped or changed. */
export class DirectoryInUseError extends EmbeddedServerError {
  constructor(directory: string) {
    super(`DATA_DIR: ${directory} is in use by another running service`)
  }
}

/** The reason of a failure in one line: the last lines that a command printed, or the message of the error. */
export function reasonOf(error: unknown): string {
  const text = (error as { stderr?: string }).stderr?.trim() || (error as Error).message
  return text.split('\n').slice(-2).join(' | ')
}
