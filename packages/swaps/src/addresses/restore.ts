import { type Environment, environments } from '@payments/kernel'
import type { ForgottenTime, RestoreDeclaration, Settings, SqlExecutor } from '@payments/platform'
import { swapsSettings } from '../provider/settings.ts'
import { addressAt, seedBytes } from './keys.ts'

/** So many addresses are left out: more than are given out in the time that a restore can forget. */
const LEFT_OUT = 100_000

/** No address that may have been given out in the forgotten time is given out again. */
async function secure(db: SqlExecutor, _forgotten: ForgottenTime, settings: Settings): Promise<readonly string[]> {
  const known: string[] = []
  for (const environment of environments) known.push(...(await leaveOut(db, environment, settings)))
  return known
}

async function leaveOut(db: SqlExecutor, environment: Environment, settings: Settings): Promise<readonly string[]> {
  await db.query('update swap_addresses set taken_at = now() where environment = $1 and taken_at is null', [
    environment,
  ])
  const { rows } = await db.query<{ next: number | null; first: number }>(
    `select (select max(derivation_index) + 1 from swap_addresses where environment = $1) as next,
            (select coalesce(max(derivation_index) + 1, 0) from swaps where environment = $1) as first`,
    [environment],
  )
  const { next = null, first = 0 } = rows[0] ?? {}
  const { SWAP_SEED } = swapsSettings.from(settings)
  if (!SWAP_SEED) {
    // Neither this point nor, without a seed, any process since has derived one.
    if (next === null) return []
    throw new Error('SWAP_SEED: required, so that no deposit address of a swap is given out a second time')
  }
  const index = (next ?? 0) + LEFT_OUT
  await db.query(
    `insert into swap_addresses (environment, derivation_index, address, taken_at) values ($1, $2, $3, now())`,
    [environment, index, addressAt(seedBytes(SWAP_SEED), environment, index)],
  )
  return [
    `Deposit addresses of swaps (${environment}) go on at index ${index + 1}. What came to those given out since: payments swap-addresses --environment ${environment} --from ${first} --count 1000 --held`,
  ]
}

export const restore: RestoreDeclaration = { secure }
