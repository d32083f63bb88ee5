import { type AssetSymbol, isId } from '@payments/kernel'
import { type QueryContext, sqlOf } from '@payments/platform'
import type { Purpose } from '../model/accounts.ts'
import type { Posting, Source } from './entries.ts'

/** What the journal holds of one object. */
export interface Posted {
  /** How many entries it has. */
  readonly entries: number
  /** The sum of its postings on each account; accounts that it left as they were are absent. */
  readonly balances: readonly Posting[]
}

interface Row {
  entries: number
  asset: AssetSymbol
  purpose: Purpose
  customer_id: string | null
  party: string
  amount: string
}

/** The sums of everything that was posted for an object. The caller holds the object's lock, so that they stay what they are. */
export async function postedOf({ em, actor }: QueryContext, source: Source): Promise<Posted> {
  const { rows } = isId(source.id)
    ? await sqlOf(em).query<Row>(
        `select a.asset, a.purpose, a.customer_id, a.party, sum(p.amount)::text as amount,
                (select count(*)::int from ledger_entries n
                  where n.organisation_id = $1 and n.environment = $2 and n.source_type = $3 and n.source_id = $4) as entries
           from ledger_entries e
           join ledger_postings p on (p.organisation_id, p.environment, p.entry_id) = (e.organisation_id, e.environment, e.id)
           join ledger_accounts a on (a.organisation_id, a.environment, a.id) = (p.organisation_id, p.environment, p.account_id)
          where e.organisation_id = $1 and e.environment = $2 and e.source_type = $3 and e.source_id = $4
          group by a.asset, a.purpose, a.customer_id, a.party`,
        [actor.organisationId, actor.environment, source.type, source.id],
      )
    : { rows: [] }
  return {
    entries: rows[0]?.entries ?? 0,
    balances: rows
      .map(({ asset, purpose, customer_id: customerId, party, amount }) => ({
        account: { asset, purpose, customerId, party },
        amount: BigInt(amount),
      }))
      .filter(({ amount }) => amount !== 0n),
  }
}
