import { rows, type Sample, type StandDatabase, samples } from '@payments/stand'
import type { CrashStand, Member } from './stand.ts'
import { timeline } from './stand.ts'

// A bank transfer makes payins, too, which nobody has created.
const { payin: _payin, ...created } = samples

/** Where each kind of object is created, read and stored. */
const kinds: readonly Pick<Sample, 'path' | 'stored'>[] = [
  ...Object.values(created),
  { path: '/v1/webhooks', stored: 'select id from webhook_endpoints where organisation_id = $1' },
]

/** Every acknowledged object is there as it was created, and no object is there that was not acknowledged. */
export async function checkAcknowledged(
  stand: CrashStand,
  database: StandDatabase,
  members: readonly Member[],
): Promise<{ acknowledgedWrites: number; objects: number }> {
  let objects = 0
  for (const own of members) {
    for (const { path, stored } of kinds) {
      const line = `POST ${path}`
      const created = own.acknowledged.filter((each) => each.line === line).map(({ reply }) => reply.data)
      const ids = new Set<string>(created.map(({ id }) => id))
      if (ids.size < created.length) stand.findings.push(`${line}: two writes were answered with one object`)
      for (const { id } of await rows<{ id: string }>(database, stored, [own.organisationId])) {
        objects++
        if (!ids.has(id)) stand.findings.push(`${line} made ${id}, which was not acknowledged`)
      }
      for (const each of created) {
        const now = await own.read(`${path}/${each.id}`).catch((error: Error) => ({ error: error.message }))
        const lost =
          // The amount of a deposit is known when it arrives.
          now.error ??
          (now.createdAt === each.createdAt && (each.amount ?? now.amount) === now.amount ? undefined : 'changed')
        if (lost)
          stand.findings.push(
            `${path}/${each.id} was acknowledged: ${lost}\n${await timeline(stand, own.key, each.id)}`,
          )
      }
    }
  }
  return { acknowledgedWrites: members.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0), objects }
}
