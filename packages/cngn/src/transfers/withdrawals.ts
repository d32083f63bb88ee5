import { newId, requestedAddress } from '@payments/kernel'
import { countPayout } from '@payments/ledger'
import { createResource, refuseOwnAddresses, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { checkMoneyOut, cngnNetwork } from '../customers/rules.ts'
import { blank, type TransferRow } from '../entity.ts'
import { checkLimits, minorAmount } from '../kinds/amounts.ts'
import { CNGN } from '../kinds/kinds.ts'
import { hold } from '../money/journal.ts'
import { checkTreasury, heldBy } from '../provider/holder.ts'
import { transferResources } from '../resources/resources.ts'
import type { NewWithdrawal } from '../schemas.ts'
import { approvalOf, sendOrWait } from './approvals.ts'

/** The smallest withdrawal: one cNGN. */
const LEAST = 1_000_000n

/**
 * Creates a withdrawal, reserves its money and queues its order, in one transaction.
 * @throws validation_failed 422, cngn_not_enabled 409, cngn_insufficient_balance 422, cngn_float_short 503, payout_limit_exceeded 422,
 * payout_destination_refused 422
 */
export async function createWithdrawal(unit: UnitOfWork, input: z.output<typeof NewWithdrawal>): Promise<TransferRow> {
  await checkTreasury(unit)
  const holder = heldBy(unit)
  const amount = minorAmount(input.amount, CNGN)
  checkLimits(amount, CNGN, LEAST)
  const network = cngnNetwork(input.networkKey)
  const address = requestedAddress(network, input.address, 'address', input)
  await refuseOwnAddresses(unit, { address })
  await checkMoneyOut(unit, input.customerId, amount)
  const id = newId()
  const destination = { type: 'wallet', networkKey: network.key, address } as const
  const limitDay = await countPayout(unit, { asset: CNGN, amount, destination, field: 'address' })
  const approval = await approvalOf(unit, amount)
  await hold(unit, { id, kind: 'withdrawal', customerId: input.customerId }, amount)
  const row = createResource(unit, transferResources.withdrawal, {
    ...blank,
    id,
    organisationId: unit.actor.organisationId,
    environment: unit.actor.environment,
    kind: 'withdrawal',
    customerId: input.customerId,
    ...holder,
    amount,
    metadata: input.metadata ?? {},
    networkKey: network.key,
    address,
    limitDay,
    ...approval,
  })
  await sendOrWait(unit, row)
  return row
}
