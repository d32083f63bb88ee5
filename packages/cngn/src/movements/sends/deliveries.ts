import { deliveryFloor, isWithinPercent, spelledHash, system } from '@payments/kernel'
import {
  aboutObject,
  platformSettings,
  queryContext,
  type Runtime,
  type UnitOfWork,
  unitOfWork,
} from '@payments/platform'
import type { TransferRow } from '../../entity.ts'
import { SMALL_COST } from '../../kinds/amounts.ts'
import { type ConvertReport, convertOutProvider } from '../../provider/provider.ts'
import { complete, fail, findTransfer, lockedTransfer, update } from '../../resources/transfers.ts'
import { arrivedBack, creditRefund } from '../receipts/unassigned.ts'
import { endSend } from './found.ts'
import { type ClaimedDelivery, postponeDelivery } from './table.ts'

const LONGEST_SECONDS = 60

/** Asks for the outcome of converted cNGN, and applies it. A poll that fails is repeated later. */
export async function pollDelivery(
  runtime: Runtime,
  { id, organisationId, environment, seconds }: ClaimedDelivery,
): Promise<void> {
  const context = queryContext(runtime, system(organisationId, environment))
  const row = await findTransfer(context, 'convert', id)
  const provider = runtime.providers.of(convertOutProvider, { provider: row.converter ?? '', environment })
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
    if (next.status === 'processing') await postponeDelivery(unit, id, wait)
    else await endSend(unit, id)
  })
}

/** Was much less, or much more, delivered than was quoted? Operators say what it was. */
function isOffPromise({ runtime }: UnitOfWork, { convertedAmount }: TransferRow, delivered: bigint | null): boolean {
  if (delivered === null || convertedAmount == null) return false
  const { DELIVERY_TOLERANCE_PERCENT: tolerance, RATE_BAND_PERCENT: band } = platformSettings.from(runtime.settings)
  const floor = deliveryFloor(convertedAmount, { target: convertedAmount, guaranteed: null }, tolerance)
  return delivered < floor || delivered * 100n > convertedAmount * BigInt(Math.ceil(100 + band))
}

/** Is what came back much less than what was sent? */
function isOffSent({ runtime }: UnitOfWork, amount: bigint, back: bigint): boolean {
  const { QUOTE_MAX_LOSS_PERCENT: most } = platformSettings.from(runtime.settings)
  return amount - back > SMALL_COST && !isWithinPercent(amount, back, most)
}

async function applyReport(unit: UnitOfWork, row: TransferRow, report: ConvertReport): Promise<TransferRow> {
  if (row.status !== 'processing') return row
  const amount = row.amount ?? 0n
  switch (report.status) {
    case 'completed':
      if (isOffPromise(unit, row, report.convertedAmount))
        return row.attention ? row : update(unit, row, { attention: 'delivered_otherwise' })
      return complete(unit, row, {
        txHash: report.txHash,
        ...(report.convertedAmount === null ? {} : { convertedAmount: report.convertedAmount }),
      })
    case 'refunded': {
      const refundTxHash = report.refundTxHash && spelledHash(row.receiveNetworkKey ?? '', report.refundTxHash)
      const arrived = await arrivedBack(unit, refundTxHash)
      const back = report.refundedAmount ?? arrived
      // Reported, and not arrived at the treasury yet: how much it is is not known.
      if (back === null) return row
      // So little is not what was sent: it is the refund of another payment, or most of it was kept.
      if (isOffSent(unit, amount, back))
        return row.attention ? row : update(unit, row, { attention: 'refunded_otherwise' })
      const next = await fail(unit, row, 'conversion_refunded', {
        kept: back < amount ? amount - back : 0n,
        refundTxHash,
      })
      // The provider's list may have shown the money before its convert was known to be sent back.
      if (refundTxHash) await creditRefund(unit, refundTxHash, row.id)
      return next
    }
    case 'failed':
      // Neither delivered nor sent back: the money is not the customer's to spend again until it is found.
      return row.attention ? row : update(unit, row, { attention: 'money_with_provider' })
    case 'pending':
      return row
  }
}
