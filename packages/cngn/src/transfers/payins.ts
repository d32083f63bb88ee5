import { findCustomer } from '@payments/customers'
import { newId, referenceInCell } from '@payments/kernel'
import { checkPrice, createResource, type QueryContext, randomText, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { readFeedSoon } from '../customers/read-feed.ts'
import { checkEnabled } from '../customers/rules.ts'
import { blank, type TransferRow } from '../entity.ts'
import { errors } from '../errors.ts'
import { checkLimits, decimal, minorAmount, SMALL_COST } from '../kinds/amounts.ts'
import { CNGN, PAYIN_REFERENCE } from '../kinds/kinds.ts'
import { credentialsNow, heldBy } from '../provider/holder.ts'
import { type CngnProvider, cngnProvider } from '../provider/provider.ts'
import { budgetOf } from '../provider/rate-budget.ts'
import { transferResources } from '../resources/resources.ts'
import type { NewPayin } from '../schemas.ts'

type Input = z.output<typeof NewPayin>

/** The least that a one-time account accepts: a hundred naira. */
const LEAST = 100_000_000n

/** A checked request with the account that the provider opened for it. */
export interface PreparedPayin {
  readonly id: string
  readonly reference: string
  readonly amount: bigint
  readonly opened: Awaited<ReturnType<CngnProvider['openPayin']>>
}

/**
 * Checks a request and opens a one-time account, before any transaction. That moves no money: an account that nobody pays closes.
 * @throws validation_failed 422, cngn_not_enabled 409, and the provider's 502 and 503
 */
export async function preparePayin(context: QueryContext, input: Input): Promise<PreparedPayin> {
  const { environment } = context.actor
  const provider = await context.runtime.providers.for(cngnProvider, environment)
  const amount = minorAmount(input.amount, CNGN, 2)
  checkLimits(amount, CNGN, LEAST)
  await checkEnabled(context, input.customerId)
  const { name, email } = await findCustomer(context, input.customerId)
  const id = newId()
  // Random, so that no payer can guess the reference of another.
  const reference = referenceInCell(PAYIN_REFERENCE, randomText(12).toUpperCase())
  const opened = await provider.openPayin({ id, reference, amount, name, email }, budgetOf(context, environment))
  await checkPayable(context, provider.name, amount, opened.payable)
  return { id, reference, amount, opened }
}

/** Nobody is asked for much more than is credited: the rest would be fees. @throws cngn_provider_failed 503, and operators are told */
async function checkPayable(context: QueryContext, provider: string, amount: bigint, payable: bigint): Promise<void> {
  if (payable - amount <= SMALL_COST) return
  const side = (units: bigint) => ({ symbol: CNGN, units, dollars: decimal(units, CNGN) })
  await checkPrice(context, provider, { from: side(payable), to: side(amount) }, errors.cngn_provider_failed)
}

/** Creates the prepared payin. */
export function createPayin(
  unit: UnitOfWork,
  input: Input,
  { id, reference, amount, opened }: PreparedPayin,
): TransferRow {
  const row = createResource(unit, transferResources.payin, {
    ...blank,
    id,
    organisationId: unit.actor.organisationId,
    environment: unit.actor.environment,
    kind: 'payin',
    customerId: input.customerId,
    ...heldBy(unit),
    credentials: credentialsNow(unit.runtime, unit.actor.environment),
    providerReference: opened.providerReference,
    amount,
    metadata: input.metadata ?? {},
    ...opened.account,
    receiveAmount: opened.payable,
    receiveFee: opened.payable > amount ? opened.payable - amount : 0n,
    expiresAt: opened.expiresAt,
    dueAt: opened.expiresAt,
    reference,
  })
  readFeedSoon(unit, row)
  return row
}
