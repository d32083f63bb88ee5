import { type AssetSymbol, assets, type Environment, toDecimal } from '@payments/kernel'
import { type Holding, type QueryContext, sqlOf } from '@payments/platform'
import { receiptsOf } from '../model/kinds.ts'

/** The days, today included, whose volume operators see. */
const VOLUME_DAYS = 30

interface Sum {
  readonly environment: Environment
  readonly kind: string
  readonly status: string
  readonly asset: string
  readonly count: string
  readonly amount: string
}

const shown = (group: Holding['group'], { environment, kind, status, asset, count, amount }: Sum): Holding => ({
  ...{ group, environment, kind, status },
  ...{ count: Number(count), amount: `${amount} ${asset}`, object: null },
})

/** The transactions of an organisation that have not ended, what succeeded in 30 days (UTC), and its balances: sums that triggers keep. */
export async function holdings(context: QueryContext, organisationId: string): Promise<readonly Holding[]> {
  const outcomes = Object.values(receiptsOf(context.runtime)).map((receipt) => receipt.outcomes)
  const succeeded = outcomes.flatMap((each) => each.succeeded)
  const closed = outcomes.flatMap(({ failed, ended = [] }) => [...failed, ...ended])
  const db = sqlOf(context.em)
  const sums = (where: string, values: readonly unknown[]) =>
    db.query<Sum>(
      `select environment, kind, status, asset, sum(count)::text as count, trim_scale(sum(amount))::text as amount
         from transaction_days where organisation_id = $1 and environment = any ('{test,live}') and ${where}
        group by 1, 2, 3, 4 having sum(count) <> 0 order by 1, 2, 3, 4`,
      [organisationId, ...values],
    )
  const open = await sums('status <> all ($2)', [[...succeeded, ...closed]])
  const volume = await sums(`status = any ($2) and day > (now() at time zone 'UTC')::date - ${VOLUME_DAYS}`, [
    succeeded,
  ])
  const { rows: balances } = await db.query<{
    environment: Environment
    purpose: string
    asset: AssetSymbol
    accounts: string
    balance: string
  }>(
    `select environment, purpose, asset, count(*)::text as accounts, sum(balance)::text as balance from ledger_accounts
      where organisation_id = $1 and environment = any ('{test,live}') and purpose in ('available', 'reserved', 'suspense') and balance <> 0
      group by 1, 2, 3 order by 1, 2, 3`,
    [organisationId],
  )
  return [
    ...open.rows.map((row) => shown('open', row)),
    ...volume.rows.map((row) => shown('volume', row)),
    ...balances.map(
      ({ environment, purpose, asset, accounts, balance }): Holding => ({
        ...{ group: 'balance', environment, kind: 'balance', status: purpose, count: Number(accounts) },
        ...{ amount: `${toDecimal(BigInt(balance), assets[asset])} ${asset}`, object: null },
      }),
    ),
  ]
}
