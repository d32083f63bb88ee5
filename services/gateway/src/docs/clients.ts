import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errors } from '../operations/errors.ts'
import type { Gateway } from '../operations/state.ts'

const FOLDERS = {
  sdk: fileURLToPath(new URL('../../../../packages/sdk/dist', import.meta.url)),
  cli: fileURLToPath(new URL('../../../cli/dist', import.meta.url)),
} as const
export type Client = keyof typeof FOLDERS

/** An archive that npm installs by its address. */
export interface ClientArchive {
  /** With the version of this service: `payments-sdk-1.0.0.tgz`. */
  readonly file: string
  readonly content: Buffer
  /** As a lock file of npm has it: `sha512-…`. */
  readonly integrity: string
}

const archives = new Map<Client, ClientArchive>()

/** The SDK or the command line of this version, read once. @throws Error where it is not built */
export function clientArchive(client: Client): ClientArchive {
  const known = archives.get(client)
  if (known) return known
  const folder = FOLDERS[client]
  const file = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  if (!file) throw new Error(`${client} is not built: start with \`npm start\``)
  const content = readFileSync(join(folder, file))
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`
  const archive = { file, content, integrity }
  archives.set(client, archive)
  return archive
}

/**
 * Serves what merchants install: `/sdk/latest.tgz`, `/cli/latest.tgz`, and each under the name of its version. No registry is asked, where the
 * name could be a stranger's.
 */
export function mountClients(router: Gateway): void {
  for (const client of ['sdk', 'cli'] as const)
    router.get([`/${client}/latest.tgz`, `/${client}/:file`], (ctx) => {
      const { file, content, integrity } = clientArchive(client)
      const { file: wanted } = ctx.params as { file?: string }
      if (wanted !== undefined && wanted !== file) throw errors.not_found()
      ctx.set('ETag', `"${integrity.slice(7, 34)}"`)
      ctx.set('Repr-Digest', `sha-512=:${integrity.slice(7)}:`)
      ctx.set('Cache-Control', wanted === undefined ? 'no-cache' : 'public, max-age=31536000, immutable')
      ctx.status = 200
      if (ctx.fresh) {
        ctx.status = 304
        return
      }
      ctx.type = 'application/gzip'
      ctx.attachment(file)
      ctx.body = content
    })
}
