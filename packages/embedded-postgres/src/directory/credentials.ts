import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Cluster } from '../cluster/cluster.ts'
import { EmbeddedServerError } from '../error.ts'

/** The port of the server and the passwords of its two roles. */
export interface Credentials {
  readonly port: number
  readonly owner: string
  readonly service: string
}

export const generatePassword = (): string => randomBytes(18).toString('hex')

export function readCredentials({ credentials: file, data }: Cluster): Credentials {
  if (!existsSync(file))
    throw new EmbeddedServerError(`DATA_DIR: ${file} is missing, and with it the passwords of the database in ${data}`)
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Credentials
  } catch {
    throw new EmbeddedServerError(`DATA_DIR: ${file} is damaged, and with it the passwords of the database in ${data}`)
  }
}

/** Replaces the file atomically: a crash leaves either the old or the new file. */
export function writeCredentials({ credentials: file }: Cluster, credentials: Credentials): void {
  const temporary = `${file}.${randomBytes(4).toString('hex')}`
  writeFileSync(temporary, JSON.stringify(credentials), { mode: 0o600, flag: 'wx' })
  renameSync(temporary, file)
}
