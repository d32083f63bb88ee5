import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { EmbeddedServerError } from '../error.ts'

/**
 * Copies programs to a folder that every user may read and only the current user may write, and returns the folder. An
 * existing copy is used only if it is complete and no other user could have changed it, because every user may create files
 * in its parent folder.
 */
export function trustedCopy(source: string, target: string): string {
  requireProtectedFolder(dirname(target))
  if (isProtected(target) && isComplete(source, target)) return target
  const staging = mkdtempSync(`${target}-`)
  const copy = join(staging, 'copy')
  cpSync(source, copy, { recursive: true, verbatimSymlinks: true })
  for (const path of walk(copy)) makeReadable(path)
  moveInto(target, copy, staging, source)
  return target
}

/** Moves the copy to `target`. An existing folder is moved aside, unless it is a complete copy that another process has just created. */
function moveInto(target: string, copy: string, staging: string, source: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      renameSync(copy, target)
      break
    } catch (error) {
      if (attempt === 5) throw error
    }
    if (isProtected(target) && isComplete(source, target)) break
    renameSync(target, join(staging, `replaced-${attempt}`))
  }
  // A folder of another user is not deleted: its owner could replace parts of it by links while it is being deleted.
  const rest = readdirSync(staging).map((name) => join(staging, name))
  if (rest.every(isProtected)) rmSync(staging, { recursive: true, force: true })
}

/** True if only root and the current user can have changed anything below this path. */
const isProtected = (path: string): boolean => {
  const status = lstatSync(path, { throwIfNoEntry: false })
  return status?.isDirectory() === true && [...walk(path)].every((each) => isWritableByOwnerOnly(lstatSync(each)))
}

/** True if the target has every file of the source, with the same type and size. A cleanup of temporary files may have deleted some. */
function isComplete(source: string, target: string): boolean {
  for (const path of walk(source)) {
    const expected = lstatSync(path)
    const copied = join(target, path.slice(source.length))
    const found = lstatSync(copied, { throwIfNoEntry: false })
    if (!found || (found.mode & 0o170000) !== (expected.mode & 0o170000)) return false
    if (expected.isFile() && found.size !== expected.size) return false
    if (expected.isSymbolicLink() && readlinkSync(copied) !== readlinkSync(path)) return false
  }
  return true
}

const ownerIsTrusted = ({ uid }: Stats): boolean => uid === 0 || uid === process.getuid?.()

const isWritableByOwnerOnly = (status: Stats): boolean =>
  ownerIsTrusted(status) && (status.isSymbolicLink() || (status.mode & 0o022) === 0)

/** Other users may create files in the folder, as in /tmp, but they must not be able to rename or delete ours. */
function requireProtectedFolder(folder: string): void {
  const status = statSync(folder, { throwIfNoEntry: false })
  const sticky = status && (status.mode & 0o1000) !== 0
  if (status && ownerIsTrusted(status) && (sticky || (status.mode & 0o022) === 0)) return
  throw new EmbeddedServerError(
    `TMPDIR: ${folder} must belong to root or the service's user and protect its files from other users`,
  )
}

function makeReadable(path: string): void {
  const status = lstatSync(path)
  if (!status.isSymbolicLink()) chmodSync(path, status.mode & 0o100 ? 0o755 : 0o644)
}

function* walk(path: string): Generator<string> {
  yield path
  if (!lstatSync(path).isDirectory()) return
  for (const name of readdirSync(path)) yield* walk(join(path, name))
}
