import { type Environment, system } from '@payments/kernel'
import {
  aboutObject,
  dueInTurns,
  queryContext,
  type Runtime,
  sqlOf,
  type UnitOfWork,
  unitOfWork,
} from '@payments/platform'
import type { TransferRow } from '../entity.ts'
import { type ConvertReport, convertOutProvider } from '../provider/provider.ts'
import { complete, fail, findTransfer, lockedTransfer, update } from '../transfers/transfers.ts'
import { lockHash } from './incoming.ts'
import { LOST_SECONDS } from './schedule.ts'
import { endSend } from './sends.ts'

const LONGEST_SECONDS = 60

export interface ClaimedDelivery {
  readonly id: string
  readonly organisationId: string
  readonly environment: Environment
  readonly seconds: number
}

/** Takes converts whose delivery is due for a poll, and postpones them, so that no other process takes them. */
export async function claimDeliveries(
  runtime: Runtime,
  environment: Environment,
  limit: number,
): Promise<ClaimedDelivery[]> {
  const { rows } = await runtime.pool.query<{ id: string; organisation_id: string; delivery_seconds: number }>(
    `with due as (${dueInTurns({ table: 'cngn_sends', at: 'next_delivery_at', where: 'environment = $1 and next_delivery_at is not null', limit: '$2' })})
     update cngn_sends s set next_delivery_at = now() + make_interval(secs => greatest($3, delivery_seconds))
      where s.id = any (array(select id from due)) and next_delivery_at <= now()
      returning s.id, organisation_id, delivery_seconds`,
    [environment, limit, LOST_SECONDS],
  )
  return rows.map((row) => ({
    id: row.id,
    organisationId: row.organisation_id,
    environment,
    seconds: row.delivery_seconds,
  }))
}

/** Asks for the outcome of converted cNGN, and applies it. A poll that fails is repeated later. */
export async function pollDelivery(
  runtime: Runtime,
  { id, organisationId, environment, seconds }: ClaimedDelivery,
): Promise<void> {
  const context = queryContext(runtime, system(organisationId, environment))
  const row = await findTransfer(context, 'convert', id)
  // Rows of earlier versions: there was one.
  const converter = row.converter ?? runtime.providers.bound(convertOutProvider, environment)[0]?.name ?? ''
  const provider = runtime.providers.of(convertOutProvider, { provider: converter, environment })
  const report = await aboutObject(row, () =>
    provider.report({
      networkKey: row.receiveNetworkKey ?? '',
      address: row.receiveAt ?? '',
      toCurrency: row.toCurrency ?? '',
      destinationNetworkKey: row.networkKey ?? '',
    }),
  )
  await unitOfWork(context, async (unit) => {
    const next = await applyReport(unit, await lockedTransfer(unit, 'convert', id), report)
    const wait = Math.min(seconds * 2, LONGEST_SECONDS)
    if (next.status === 'processing')
      await sqlOf(unit.em).query(
        `update cngn_sends set next_delivery_at = now() + make_interval(secs => $2::int), delivery_seconds = $2::int
          where id = $1 and next_delivery_at is not null`,
        [id, wait],
      )
    else await endSend(unit, id)
  })
}

/** What the treasury received in a transaction, minor units of cNGN; null: nothing yet. Nobody else counts it before the commit. */
async function arrivedBack(
  unit: UnitOfWork,
  { environment }: TransferRow,
  txHash: string | null,
): Promise<bigint | null> {
  if (txHash) await lockHash(unit, txHash)
  const { rows } = await sqlOf(unit.em).query<{ amount: string }>(
    `select (amount - fee)::text as amount from cngn_receipts
      where environment = $1 and $2::text = any (targets) and status = 'suspense' and organisation_id is null for update`,
    [environment, txHash],
  )
  return rows[0] ? BigInt(rows[0].amount) : null
}

async function applyReport(unit: UnitOfWork, row: TransferRow, report: ConvertReport): Promise<TransferRow> {
  if (row.status !== 'processing') return row
  const amount = row.amount ?? 0n
  switch (report.status) {
    case 'completed':
      return complete(unit, row, {
        txHash: report.txHash,
        ...(report.convertedAmount === null ? {} : { convertedAmount: report.convertedAmount }),
      })
    case 'refunded': {
      const arrived = await arrivedBack(unit, row, report.refundTxHash)
      const back = report.refundedAmount ?? arrived
      // Reported, and not arrived at the treasury yet: how much it is is not known.
      if (back === null) return row
      const next = await fail(unit, row, 'conversion_refunded', {
        kept: back < amount ? amount - back : 0n,
        refundTxHash: report.refundTxHash,
      })
      // The provider's list may have shown the money before its convert was known to be sent back.
      await sqlOf(unit.em).query(
        `update cngn_receipts set status = 'credited', transfer_id = $3
          where environment = $1 and $2::text = any (targets) and status = 'suspense' and organisation_id is null`,
        [row.environment, report.refundTxHash, row.id],
      )
      return next
    }
    case 'failed':
      // Neither delivered nor sent back: the money is not the customer's to spend again until it is found.
      return row.attention ? row : update(unit, row, { attention: 'money_with_provider' })
    case 'pending':
      return row
  }
}
