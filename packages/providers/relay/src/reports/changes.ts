import type { HttpClient } from '@payments/provider-http'
import type { DepositChanges } from '@payments/routes'
import type { Request } from '../wire.ts'
import { listRequests } from './list.ts'
import { reportsOf } from './reports.ts'

/** The deposits of any address: only whether there is one counts. */
const ANY = {
  origin: { networkKey: '', currency: '' },
  destination: { chainId: 0, address: '', quote: 0n },
  known: [],
}

/**
 * Which addresses have a deposit that changed since a time: one call for all of them, in place of one for each. With `sortBy=updatedAt`
 * the timestamps of `GET /requests/v3` mean the last change, and `apiKey` keeps to the requests of this key (migrating-to-requests-v3).
 * Quotes that nobody has paid change too, and are left out.
 */
export async function relayChanges(client: HttpClient, apiKey: string, since: Date): Promise<DepositChanges> {
  const { found, pages } = await listRequests(client, { apiKey }, since)
  const requests = [...found.values()]
  const addresses = requests.flatMap((request) => {
    const address = request.depositAddress?.address
    return address && reportsOf([request], ANY).length > 0 ? [{ address, version: versionOf(request) }] : []
  })
  const times = requests.flatMap(({ updatedAt }) => updatedAt ?? [])
  return { addresses, until: times.length > 0 ? new Date(Math.max(...times.map(Number))) : since, calls: pages }
}

const versionOf = ({ id, status, updatedAt }: Request): string => `${id} ${status} ${updatedAt?.getTime() ?? ''}`
