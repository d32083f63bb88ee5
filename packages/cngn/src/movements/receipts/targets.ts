import type { Environment } from '@payments/kernel'
import type { Runtime } from '@payments/platform'
import { CNGN, type Kind } from '../../kinds/kinds.ts'
import { type ProviderTransaction, referencesOf } from '../../provider/provider.ts'
import { OF_MOVEMENT } from './table.ts'

/** An object or permanent account that money belongs to. */
export interface Target {
  readonly type: 'payin' | 'address' | 'account'
  readonly id: string
  readonly kind: Kind
  readonly organisationId: string
  readonly customerId: string
}

interface TargetRow {
  readonly id: string
  readonly kind: Kind
  readonly organisation_id: string
  readonly customer_id: string
}

/** What a movement belongs to that was applied to an object before. */
export async function knownTarget(
  { pool }: Runtime,
  environment: Environment,
  account: string,
  tx: ProviderTransaction,
): Promise<Target | undefined> {
  const { rows } = await pool.query<TargetRow>(
    `select t.id, t.kind, t.organisation_id, t.customer_id from (select transfer_id from cngn_receipts where ${OF_MOVEMENT}) r
       join cngn_transfers t on t.id = r.transfer_id`,
    [environment, account, referencesOf(tx)],
  )
  const [row] = rows
  return row && { ...targetOf(row), type: row.kind === 'payin' ? 'payin' : 'address' }
}

const targetOf = (row: TargetRow) => ({
  id: row.id,
  kind: row.kind,
  organisationId: row.organisation_id,
  customerId: row.customer_id,
})

/** What a movement may belong to: payins by reference, customers by their account, deposits and converts by their address. */
export async function targetsOf(
  { pool }: Runtime,
  environment: Environment,
  tx: ProviderTransaction,
): Promise<Target[]> {
  const values = [environment, tx.targets]
  const as =
    (type: Target['type']) =>
    (row: TargetRow): Target => ({ type, ...targetOf(row) })
  const { rows: payins } = await pool.query<TargetRow>(
    `select id, kind, organisation_id, customer_id from cngn_transfers
      where environment = $1 and kind = 'payin' and (reference = any ($2) or provider_reference = any ($2)) limit 2`,
    values,
  )
  // A deposit from a bank that the provider lists with the hash of its mint has its references, too.
  if (payins.length > 0) return payins.map(as('payin'))
  if (tx.channel === 'crypto_in') {
    const { rows } = await pool.query<TargetRow>(
      `select id, kind, organisation_id, customer_id from cngn_transfers
        where environment = $1 and receive_at = any ($2) and kind in ('convert', 'deposit')
          and from_currency is distinct from '${CNGN}' order by created_at, id limit 1`,
      values,
    )
    return rows.map(as('address'))
  }
  const { rows: accounts } = await pool.query<TargetRow>(
    `select customer_id as id, 'payin' as kind, organisation_id, customer_id from cngn_virtual_accounts
      where environment = $1 and account_number = any ($2) limit 2`,
    values,
  )
  return accounts.map(as('account'))
}
