import { type AssetSymbol, isId } from '@payments/kernel'
import { type QueryContext, sqlOf } from '@payments/platform'
import { errors } from '../errors.ts'
import type { Purpose } from '../model/accounts.ts'
import type { Draft, Source } from './entries.ts'

interface Row {
  memo: string | null
  reverses_step: string | null
  amount: string
  asset: AssetSymbol
  purpose: Purpose
  customer_id: string | null
  party: string
}

/**
 * The posted entry of a step, as its draft.
 * @throws entry_not_found 404
 */
export async function findEntry(context: QueryContext, source: Source, step: string): Promise<Draft> {
  const { organisationId, environment } = context.actor
  const { rows } = isId(source.id)
    ? await sqlOf(context.em).query<Row>(
        // The entry first, whatever the statistics of a journal that has just begun say: else all postings of the tenant are read.
        `with e as materialized (
           select * from ledger_entries
            where organisation_id = $1 and environment = $2 and source_type = $3 and source_id = $4 and step = $5)
         select e.memo, r.step as reverses_step, p.amount::text as amount, a.asset, a.purpose, a.customer_id, a.party
           from e
           join ledger_postings p on (p.organisation_id, p.environment, p.entry_id) = (e.organisation_id, e.environment, e.id)
           join ledger_accounts a on (a.organisation_id, a.environment, a.id) = (p.organisation_id, p.environment, p.account_id)
           left join ledger_entries r on (r.organisation_id, r.environment, r.id) = (e.organisation_id, e.environment, e.reverses)`,
        [organisationId, environment, source.type, source.id, step],
      )
    : { rows: [] }
  const [first] = rows
  if (!first) throw errors.entry_not_found()
  return {
    source,
    step,
    postings: rows.map(({ amount, asset, purpose, customer_id: customerId, party }) => ({
      account: { asset, purpose, customerId, party },
      amount: BigInt(amount),
    })),
    ...(first.memo === null ? {} : { memo: first.memo }),
    ...(first.reverses_step === null ? {} : { reverses: first.reverses_step }),
  }
}
