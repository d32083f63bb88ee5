import type { AssetSymbol, Environment } from '@payments/kernel'
import { accountId, type Purpose } from '../../model/accounts.ts'
import { each, locationOf, type RowKey, type Walk } from './walk.ts'

interface Row extends RowKey {
  environment: Environment
  customer_id: string | null
  asset: AssetSymbol
  purpose: Purpose
  party: string
  balance: string
  posted: string
}

const BATCH = `select a.organisation_id, a.environment, a.id, a.customer_id, a.asset, a.purpose, a.party, a.balance::text,
    (select coalesce(sum(p.amount), 0)::text from ledger_postings p where p.account_id = a.id) as posted
  from ledger_accounts a where (a.organisation_id, a.environment, a.id) > ($1, $2, $3)
 order by a.organisation_id, a.environment, a.id limit $4`

/** Money that the service holds for others, or owes: more cannot leave than came. */
const HELD: ReadonlySet<Purpose> = new Set(['available', 'reserved', 'destination', 'suspense'])

/**
 * Checks that every balance is the sum of the account's postings, that no account with money of others is negative, and that every
 * id matches its account.
 */
export const checkAccounts = (walk: Walk): Promise<void> =>
  each<Row>(walk, BATCH, (row) => {
    if (row.balance !== row.posted) {
      walk.find({ ...locationOf(row), message: `holds ${row.balance} ${row.asset}, its postings sum to ${row.posted}` })
    }
    if (HELD.has(row.purpose) && BigInt(row.balance) < 0n) {
      walk.find({
        ...locationOf(row),
        message: `${row.purpose} holds ${row.balance} ${row.asset}: more left than came`,
      })
    }
    const tenant = { organisationId: row.organisation_id, environment: row.environment }
    const { asset, purpose, party, customer_id: customerId } = row
    if (accountId(tenant, { asset, purpose, party, customerId }) !== row.id) {
      walk.find({ ...locationOf(row), message: 'has an id that does not match its owner, asset, purpose and party' })
    }
  })
