import { assets, type Environment, environments, noInput, toMinor } from '@payments/kernel'
import { job, type QueryContext, type Runtime } from '@payments/platform'
import { errors } from '../errors.ts'
import { type FeePayer, type SwapsProvider, swapsProvider } from './provider.ts'
import { swapsSettings } from './settings.ts'

/** A balance that was read longer ago says nothing about the present. */
const STALE_MINUTES = 10

/**
 * Stores the fee payer as it is on the chain, and every change of its balance. A change that takes something away is
 * explained by a transaction that this service stored before it was sent; anything else was signed elsewhere with its key.
 */
async function store({ pool, log }: Runtime, environment: Environment, feePayer: FeePayer): Promise<void> {
  // One statement: how far was read goes with what was read.
  const { rows } = await pool.query<{ signature: string; lamports: string }>(
    `with payer as (
       insert into swap_fee_payers (environment, address, lamports, read_to, read_at) values ($1, $4, $5, $6, now())
       on conflict (environment) do update
         set address = excluded.address, lamports = excluded.lamports, read_to = excluded.read_to, read_at = now()
     ), changes as (
       insert into swap_fee_payer_changes (environment, signature, lamports, explained)
       select $1, c.signature, c.lamports,
              c.lamports >= 0
              or exists (select from swap_transactions t where t.signature = c.signature and t.environment = $1)
              or exists (select from swap_upkeep u where u.signature = c.signature and u.environment = $1)
         from unnest($2::text[], $3::numeric[]) with ordinality as c (signature, lamports, position) order by c.position
       on conflict (environment, signature) do nothing
       returning signature, lamports, explained
     )
     select signature, lamports::text from changes where not explained`,
    [
      environment,
      feePayer.changes.map(({ signature }) => signature),
      feePayer.changes.map(({ lamports }) => lamports.toString()),
      feePayer.address,
      feePayer.lamports.toString(),
      feePayer.readTo,
    ],
  )
  for (const { signature, lamports } of rows)
    log.error({ environment, signature, lamports }, 'fee payer spent by an unknown transaction')
}

/** Every minute: reads the fee payers and compares what they spent with the transactions that were stored. */
export const feePayerJob = job({
  name: 'swaps.fee-payer',
  data: noInput,
  schedule: { everyMinutes: 1 },
  queue: { policy: 'exclusive', expireInSeconds: 60 },
  async run(runtime) {
    for (const environment of environments) {
      // The fee payer is this service's own key: every provider that reads the chain reads the same.
      const provider = (await runtime.providers.inUse(swapsProvider, environment)).find((each) => each.readFeePayer)
      if (!provider?.readFeePayer) continue
      const { rows } = await runtime.pool.query<{ read_to: string | null }>(
        'select read_to from swap_fee_payers where environment = $1',
        [environment],
      )
      await provider.readFeePayer(rows[0]?.read_to ?? null).then(
        (feePayer) => feePayer && store(runtime, environment, feePayer),
        (error: unknown) => {
          if (!runtime.database.report(error)) runtime.log.warn({ err: error, environment }, 'fee payer not read')
        },
      )
    }
  },
})

/** Refuses new swaps whose transactions could not be paid for. @throws swap_provider_unavailable 503 */
export async function requireFeePayer({ runtime, actor }: QueryContext, provider: SwapsProvider): Promise<void> {
  if (!provider.readFeePayer) return
  const least = toMinor(swapsSettings.from(runtime.settings).SWAP_FEE_PAYER_MIN_SOL, assets.SOL)
  const { rows } = await runtime.pool.query(
    `select from swap_fee_payers
      where environment = $1 and lamports >= $2 and read_at > now() - make_interval(mins => $3)`,
    [actor.environment, least.toString(), STALE_MINUTES],
  )
  if (rows.length === 0) throw errors.swap_provider_unavailable({ retryAfter: 60 })
}
