import { type Count, countHitsSql, type QueryContext, type Runtime } from '@payments/platform'
import type { RouteRow } from '../entity.ts'
import { errors } from '../errors.ts'

const WINDOW_SECONDS = 60
const OF_ROUTE = 60
/** Parts of the provider's limit that the syncs of one organisation, and of all together, may use. The rest is for scheduled polls. */
const PART_OF_ORGANISATION = 1 / 4
const PART_OF_ALL = 1 / 2

/**
 * Counts a sync that a merchant asked for: by route and organisation and, if they allow it, in total; over all processes.
 * @throws sync_limited 429 when the route or its organisation syncs too often; provider_unavailable 503 when all together do
 */
export async function limitSync(
  { runtime }: QueryContext,
  { id, organisationId, environment, provider }: RouteRow,
  callsPerMinute: number,
): Promise<void> {
  const own = await count(runtime, [
    {
      bucket: 'sync-organisation',
      subject: `${organisationId} ${environment} ${provider}`,
      most: callsPerMinute * PART_OF_ORGANISATION,
    },
    { bucket: 'sync-route', subject: id, most: OF_ROUTE },
  ])
  if (own !== undefined) throw errors.sync_limited({ retryAfter: own })
  const all = await count(runtime, [
    { bucket: 'sync-all', subject: `${environment} ${provider}`, most: callsPerMinute * PART_OF_ALL },
  ])
  if (all !== undefined) throw errors.provider_unavailable({ retryAfter: all })
}

interface Counter {
  readonly bucket: string
  readonly subject: string
  readonly most: number
}

/** Counts one in each counter, sorted by bucket, and returns the seconds to wait if one is exceeded. */
async function count({ pool }: Runtime, counters: readonly Counter[]): Promise<number | undefined> {
  const { rows } = await pool.query<Count>(countHitsSql('$1', '$2', '$3', '$4'), [
    counters.map(({ bucket }) => bucket),
    counters.map(({ subject }) => subject),
    counters.map(() => 1),
    WINDOW_SECONDS,
  ])
  const waits = rows.flatMap((row) => {
    const most = counters.find(({ bucket }) => bucket === row.bucket)?.most ?? 0
    return row.count > Math.max(1, most) ? [Math.max(1, row.wait)] : []
  })
  return waits.length > 0 ? Math.max(...waits) : undefined
}
