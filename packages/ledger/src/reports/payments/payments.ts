import { findCustomer, joinCustomerName } from '@payments/customers'
import {
  type AssetSymbol,
  assets,
  type Direction,
  directionOf,
  endOfDay,
  invalid,
  startOfDay,
  toDecimal,
} from '@payments/kernel'
import { type QueryContext, type StatementLine, sqlOf } from '@payments/platform'
import type { z } from 'zod'
import { receiptsOf } from '../../model/kinds.ts'
import { COLUMNS, type ListRow, presentTransaction } from '../../transactions/transactions.ts'
import { addAmounts } from '../amounts.ts'
import type { Period } from '../period.ts'
import type { Payments } from './schemas.ts'

/** Of a longer list nobody makes one document. */
const MOST = 500

type Payment = z.output<typeof Payments>['payments'][number]
type Amount = Payment['fees'][number]

interface Row extends ListRow {
  /** By asset, in minor units. */
  readonly fees: Readonly<Record<string, string>>
}

/**
 * What one customer paid in a period: every transaction of the unified list that names the customer and was created in it, with what was
 * charged for it by the journal and what its receipt says was sent back.
 * @throws customer_not_found 404, validation_failed 422 for a period with more than 500 transactions
 */
export async function paymentsOf(
  context: QueryContext,
  period: Period,
  zone: string,
  customerId: string,
): Promise<z.output<typeof Payments>> {
  const customer = await findCustomer(context, customerId)
  const { actor, em } = context
  const { rows } = await sqlOf(em).query<Row>(
    `select ${COLUMNS},
            (select coalesce(jsonb_object_agg(f.asset, f.units), '{}') from (
               select p.asset, sum(p.amount)::text as units
                 from ledger_entries e
                 join ledger_postings p on (p.organisation_id, p.environment, p.entry_id) = (e.organisation_id, e.environment, e.id)
                 join ledger_accounts a on (a.organisation_id, a.environment, a.id) = (p.organisation_id, p.environment, p.account_id)
                where e.source_id = t.id and e.organisation_id = t.organisation_id and e.environment = t.environment
                  and a.purpose = 'fees'
                group by p.asset having sum(p.amount) <> 0) f) as fees
       from transactions t ${joinCustomerName('c', 't')}
      where t.organisation_id = $1 and t.environment = $2 and t.customer_id = $3
        and t.created_at between $4 and $5
      order by t.created_at, t.id limit ${MOST + 1}`,
    [actor.organisationId, actor.environment, customer.id, startOfDay(zone, period.from), endOfDay(zone, period.to)],
  )
  if (rows.length > MOST)
    throw invalid({ to: `Must be earlier: the period has more than ${MOST.toLocaleString('en')} transactions` })
  const receipts = receiptsOf(context.runtime)
  const succeeded = ({ kind, status }: Pick<Payment, 'kind' | 'status'>) =>
    receipts[kind]?.outcomes.succeeded.includes(status) === true
  const payments = rows.map((row) => shown(row, receipts[row.kind]?.line?.(row.receipt as never)))
  return {
    timeZone: zone,
    ...period,
    customerId: customer.id,
    customerName: customer.name,
    payments,
    totals: totalsOf(payments, succeeded),
  }
}

function shown(row: Row, line: StatementLine | undefined): Payment {
  const { id, kind, status, createdAt } = presentTransaction(row)
  const fees = Object.entries(row.fees).map(([symbol, units]) => ({
    asset: symbol,
    amount: toDecimal(BigInt(units), assets[symbol as AssetSymbol]),
  }))
  return {
    id,
    createdAt,
    kind,
    status,
    number: line?.number || null,
    title: line?.title || null,
    amount: row.amount ?? '0',
    asset: row.currency,
    fees,
    returned: (line?.returned ?? []).filter((each) => each.amount !== '0').map((each) => ({ ...each })),
  }
}

/** The totals of each asset that is in any of the payments, in the order of the alphabet. */
function totalsOf(payments: readonly Payment[], succeeded: (payment: Payment) => boolean) {
  const sumOf = (amounts: readonly Amount[], asset: string) =>
    addAmounts(amounts.filter((each) => each.asset === asset).map(({ amount }) => amount))
  const [fees, returned] = [payments.flatMap((each) => each.fees), payments.flatMap((each) => each.returned)]
  const symbols = new Set([...payments, ...fees, ...returned].map(({ asset }) => asset))
  return [...symbols].toSorted().map((asset) => {
    const own = payments.filter((each) => each.asset === asset)
    const done = own.filter(succeeded)
    const moved = (direction: Direction) =>
      sumOf(
        done.filter(({ kind }) => directionOf(kind) === direction),
        asset,
      )
    return {
      asset,
      count: own.length,
      amount: sumOf(own, asset),
      succeededAmount: sumOf(done, asset),
      inAmount: moved('in'),
      outAmount: moved('out'),
      exchangedAmount: moved('exchange'),
      fees: sumOf(fees, asset),
      returned: sumOf(returned, asset),
    }
  })
}
