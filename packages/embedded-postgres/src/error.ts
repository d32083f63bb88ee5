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

/** What names the cause, where a command cleans up after it and says so last. */
const CAUSE = /No space left on device|Disk quota exceeded|^(FATAL|PANIC): /

/** The reason of a failure in one line: the line that names it, or the last lines that a command printed, or the message of the error. */
export function reasonOf(error: unknown): string {
  const text = (error as { stderr?: string }).stderr?.trim() || (error as Error).message
  const lines = text.split('\n')
  return lines.find((line) => CAUSE.test(line)) ?? lines.slice(-2).join(' | ')
}
