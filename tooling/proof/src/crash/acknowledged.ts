import { rows, type StandDatabase } from '@payments/stand'
import type { Member, World } from './world.ts'
import { timeline } from './world.ts'

/** Where each kind of object is created, read and stored. */
const kinds: Readonly<Record<string, { readonly path: string; readonly stored: string }>> = {
  'POST /v1/customers': { path: '/v1/customers', stored: 'select id from customers where organisation_id = $1' },
  'POST /v1/payment-routes': {
    path: '/v1/payment-routes',
    stored: 'select id from payment_routes where organisation_id = $1 and not hidden',
  },
  'POST /v1/collections': { path: '/v1/collections', stored: 'select id from collections where organisation_id = $1' },
  'POST /v1/swaps': { path: '/v1/swaps', stored: 'select id from swaps where organisation_id = $1' },
  'POST /v1/offramps': { path: '/v1/offramps', stored: 'select id from offramps where organisation_id = $1' },
  'POST /v1/onramps': { path: '/v1/onramps', stored: 'select id from onramps where organisation_id = $1' },
  'POST /v1/webhooks': { path: '/v1/webhooks', stored: 'select id from webhook_endpoints where organisation_id = $1' },
  ...Object.fromEntries(
    ['payouts', 'withdrawals', 'converts', 'deposits'].map((kind) => [
      `POST /v1/cngn/${kind}`,
      {
        path: `/v1/cngn/${kind}`,
        stored: `select id from cngn_transfers where organisation_id = $1 and kind = '${kind.slice(0, -1)}'`,
      },
    ]),
  ),
}

/** Every acknowledged object is there as it was created, and no object is there that was not acknowledged. */
export async function checkAcknowledged(
  world: World,
  database: StandDatabase,
  members: readonly Member[],
): Promise<{ acknowledgedWrites: number; objects: number }> {
  let objects = 0
  for (const own of members) {
    for (const [line, { path, stored }] of Object.entries(kinds)) {
      const created = own.acknowledged.filter((each) => each.line === line).map(({ reply }) => reply.data)
      const ids = new Set<string>(created.map(({ id }) => id))
      if (ids.size < created.length) world.findings.push(`${line}: two writes were answered with one object`)
      for (const { id } of await rows<{ id: string }>(database, stored, [own.organisationId])) {
        objects++
        if (!ids.has(id)) world.findings.push(`${line} made ${id}, which was not acknowledged`)
      }
      for (const each of created) {
        const now = await own.read(`${path}/${each.id}`).catch((error: Error) => ({ error: error.message }))
        const lost =
          // The amount of a deposit is known when it arrives.
          now.error ??
          (now.createdAt === each.createdAt && (each.amount ?? now.amount) === now.amount ? undefined : 'changed')
        if (lost)
          world.findings.push(
            `${path}/${each.id} was acknowledged: ${lost}\n${await timeline(world, own.key, each.id)}`,
          )
      }
    }
  }
  return { acknowledgedWrites: members.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0), objects }
}
