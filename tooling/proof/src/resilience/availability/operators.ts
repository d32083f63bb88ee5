import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@payments/checks'
import { type Block, blocksOf, type Guide, startGuide } from '../machine/guide.ts'
import { PATH } from '../machine/program.ts'

export const SUPERUSER_PASSWORD = 'of-the-superuser'
const GUIDE = 'high-availability.md'
const blocks = blocksOf(GUIDE, readFileSync(join(root, 'docs/operators', GUIDE), 'utf8'))
const done = new Set<Block>()

/** A server of three: etcd, Patroni and PostgreSQL in a network of its own, with a disk of its own. */
export interface DatabaseServer {
  readonly name: string
  readonly address: string
  readonly disk: string
  /** Runs a command there. */
  readonly within: readonly string[]
}

/** Runs commands of the guide in one bash, on a server or beside the gateways, and ends it. Returns what the last block wrote. */
export async function operate(
  headings: readonly string[],
  server?: DatabaseServer,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const environment = {
    ...{ HOME: '/root', PATH, DEBIAN_FRONTEND: 'noninteractive', SUPERUSER_PASSWORD },
    PATRONI_FILES: join(root, 'deploy/patroni'),
    ...(server ? { NAME: server.name, ADDRESS: server.address } : {}),
    ...variables,
  }
  const guide: Guide = startGuide(blocks, environment, '/', server?.within)
  try {
    let last = ''
    for (const heading of headings) last = await guide.run(heading)
    for (const block of blocks) if (!guide.rest().includes(block)) done.add(block)
    return last
  } finally {
    guide.close()
  }
}

/** A finding for each block of the guide that was not run. */
export const unread = (): string[] =>
  blocks
    .filter((block) => !done.has(block))
    .map(({ page, line, heading }) => `${page}:${line} (${heading}) was not run`)
