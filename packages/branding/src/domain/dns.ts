import { Resolver } from 'node:dns/promises'

const TIMEOUT_MS = 3000
/** Answers that say that there is no such record. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * The TXT records of a name.
 * @param servers which name servers are asked; undefined: those of the system
 * @throws Error when none of them could be asked
 */
export async function textRecords(name: string, servers: readonly string[] | undefined): Promise<string[]> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 })
  if (servers && servers.length > 0) resolver.setServers(servers)
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}
