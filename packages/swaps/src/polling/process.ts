import { type Carried, ServiceError, system, type Tenant } from '@payments/kernel'
import { aboutObject, locked, type QueryContext, queryContext, type Runtime, unitOfWork } from '@payments/platform'
import { PollEntity, type PolledSwap, SwapEntity, type SwapRow, SwapUpkeepEntity, swapResource } from '../entity.ts'
import { errors } from '../errors.ts'
import {
  type DepositReport,
  type PaidTransaction,
  type RefusedSwap,
  type SwapsProvider,
  swapsProvider,
  type WatchedAddress,
} from '../provider/provider.ts'
import { swapsSettings } from '../provider/settings.ts'
import { heldAmount, neededTransaction } from '../swaps/changes.ts'
import { nextAttempt, nextPoll, withPoll } from '../swaps/schedule.ts'
import { applyDeposits, type ReadSwap } from '../transactions/deposits.ts'
import { isHeld, noteHeld } from '../transactions/held.ts'
import {
  applyOutcome,
  giveUp,
  hasCreatedAccount,
  mayRefund,
  openTransaction,
  refuseQuote,
  storeTransaction,
  storeUpkeep,
} from '../transactions/transactions.ts'

/** How long a transaction that closes empty token accounts may take to be final. */
const CLOSING_MS = 120_000

/** A swap to process, of any organisation. */
export interface SwapReference extends Tenant, Carried {
  readonly id: string
}

/**
 * Processes a swap as far as it can go now: asks for the outcome of its open transaction, applies the deposits, and signs,
 * stores and sends the next transaction, in this order. Every step is a unit of work of its own and can be repeated, so a
 * process may die between any two; several processes may do it at once.
 */
export async function processSwap(
  runtime: Runtime,
  reference: SwapReference & Pick<PolledSwap, 'pollSeconds' | 'readTo'>,
  report: DepositReport,
): Promise<SwapRow> {
  const context = queryContext(runtime, system(reference.organisationId, reference.environment))
  const provider = runtime.providers.of(swapsProvider, reference)
  const hadOpen = await settleOpen(context, provider, reference.id)
  const swap = await unitOfWork(context, (unit) =>
    applyDeposits(unit, reference.id, report, { readTo: reference.readTo ?? null }),
  )
  const isThere = hasNeeded(swap, report, runtime.settings)
  const sent = isThere && (await sendNext(context, provider, swap))
  const moving = sent === true
  if (!sent && !hadOpen) await closeEmpty(context, provider, swap, report)
  return unitOfWork(context, async (unit) => {
    const row = await locked(unit, swapResource, swap.id, errors.swap_not_found)
    const isNeeded = isThere && neededTransaction(row, runtime.settings) !== null
    const { pollSeconds } = reference
    const isSoon = moving || !report.complete || isNeeded
    const next = sent === 'held' ? nextAttempt(reference, false) : nextPoll({ ...row, pollSeconds }, isSoon)
    await unit.update(PollEntity, row, { ...next, failingSince: null, error: null })
    const compared = moving || hadOpen ? undefined : comparison(row, report)
    if (compared && !isKnown(row, compared)) await unit.update(SwapEntity, row, compared)
    return row
  })
}

type Comparison = Pick<SwapRow, 'unexplainedAmount' | 'otherHoldings'>

/** Is it what is stored? Then the row, which many indexes have, is not written again. */
const isKnown = (row: SwapRow, { unexplainedAmount, otherHoldings }: Comparison): boolean =>
  row.unexplainedAmount === unexplainedAmount &&
  JSON.stringify(row.otherHoldings ?? null) === JSON.stringify(otherHoldings ?? null)

/**
 * What the chain shows beyond what the journal says of an address that nothing moves. A report from before the last change
 * of the swap says nothing about it.
 */
export function comparison(row: SwapRow, { holdings, finalizedAt, complete }: DepositReport): Comparison | undefined {
  if (!holdings || !complete || finalizedAt < row.updatedAt) return undefined
  return {
    unexplainedAmount: holdings.amount - heldAmount(row),
    otherHoldings: holdings.others.length > 0 ? holdings.others : null,
  }
}

/**
 * Is what the next transaction moves at the address? What is not there is neither swapped nor sent back: the transaction could only fail, and cost
 * its fee. Operators see what is missing. True where the provider does not tell.
 */
function hasNeeded(swap: SwapRow, { holdings, complete }: DepositReport, settings: Runtime['settings']): boolean {
  const needed = neededTransaction(swap, settings)
  return !needed || !holdings || !complete || holdings.amount >= needed.amount
}

/** Closes what is empty at the address of a swap that has ended. A deposit that arrives later opens it again. */
async function closeEmpty(
  context: QueryContext,
  provider: SwapsProvider,
  { id, status, environment, depositAddress, derivationIndex, updatedAt }: SwapRow,
  { holdings, finalizedAt, complete }: DepositReport,
): Promise<void> {
  const ended = status !== 'awaiting_deposit' && status !== 'swapping'
  if (!ended || !complete || !holdings?.closable || finalizedAt < updatedAt) return
  // The last one may not be final yet: a second one would only cost its fee.
  const recent = {
    kind: 'close',
    address: depositAddress,
    createdAt: { $gt: new Date(Date.now() - CLOSING_MS) },
  } as const
  if ((await context.em.count(SwapUpkeepEntity, recent)) > 0) return
  const prepared = await provider.prepareClose?.({ depositAddress, derivationIndex })
  if (!prepared) return
  await storeUpkeep(context, { signature: prepared.signature, environment, kind: 'close', address: depositAddress })
  await provider.send(prepared)
  context.log.info({ swap: id, signature: prepared.signature }, 'empty token accounts closed')
}

/**
 * Applies the outcome of the open transaction. One that the network has not seen is sent again: it is the same transaction.
 * False when there was none.
 */
async function settleOpen(context: QueryContext, provider: SwapsProvider, id: string): Promise<boolean> {
  const open = await openTransaction(context, id)
  if (!open) return false
  const outcome = await provider.outcome(open)
  if (outcome.status === 'unknown') await provider.send(open)
  else if (outcome.status !== 'pending') await unitOfWork(context, (unit) => applyOutcome(unit, open, outcome))
  return true
}

/** Sends the transaction that the swap needs now. True while a transaction of it is under way; `held`: none is sent. */
async function sendNext(context: QueryContext, provider: SwapsProvider, swap: ReadSwap): Promise<boolean | 'held'> {
  if (await openTransaction(context, swap.id)) return true
  const needed = neededTransaction(swap, context.runtime.settings)
  if (!needed) return false
  const held = await isHeld(context, swap)
  if (held || swap.heldAt) await unitOfWork(context, (unit) => noteHeld(unit, swap, held))
  if (held) return 'held'
  if (needed.kind === 'refund' && !(await mayRefund(context, swap.id))) return true
  const prepared = await prepare(context, provider, swap, needed)
  if ('refused' in prepared) {
    await unitOfWork(context, (unit) => refuseQuote(unit, swap.id, prepared.refused))
    return true
  }
  if (await unitOfWork(context, (unit) => storeTransaction(unit, swap.id, needed, prepared)))
    await provider.send(prepared)
  return true
}

async function prepare(
  context: QueryContext,
  provider: SwapsProvider,
  swap: ReadSwap,
  { kind, amount }: { kind: string; amount: bigint },
): Promise<PaidTransaction | { readonly refused: RefusedSwap }> {
  const { depositAddress, derivationIndex, fromCurrency, toCurrency, destinationAddress, refundAddress, readTo } = swap
  const own = { depositAddress, derivationIndex, readTo: readTo ?? null }
  if (kind !== 'refund')
    return provider.prepareSwap({
      ...own,
      from: fromCurrency,
      to: toCurrency,
      amount,
      destinationAddress,
      minimumAmount: swap.minimumAmount,
      slippageBasisPoints: swap.slippageBasisPoints,
    })
  const mayCreateAccount = !(await hasCreatedAccount(context, swap.id))
  const prepared = await provider.prepareRefund({
    ...own,
    currency: fromCurrency,
    amount,
    refundAddress,
    mayCreateAccount,
  })
  if ('waits' in prepared)
    throw prepared.waits === 'account_frozen' ? errors.swap_account_frozen() : errors.swap_refund_account_missing()
  return prepared
}

/** The address of a swap, from where its history was read last. */
export const watched = (swap: ReadSwap): WatchedAddress => ({
  depositAddress: swap.depositAddress,
  currency: swap.fromCurrency,
  readTo: swap.readTo ?? null,
  destinationAddress: swap.destinationAddress,
  toCurrency: swap.toCurrency,
  refundAddress: swap.refundAddress,
  // Before a swap expires, what came and left again in a time that was forgotten is looked for.
  ...(heldAmount(swap) > 0n
    ? { expectedBy: swap.createdAt }
    : swap.status === 'awaiting_deposit'
      ? { expectedBy: swap.depositsUntil }
      : {}),
})

/** Reads the address of a swap and processes it. @throws swap_provider_failed 502, swap_provider_unavailable 503 */
export const processNow = (runtime: Runtime, swap: SwapRow): Promise<SwapRow> =>
  aboutObject(swap, async () => {
    const provider = runtime.providers.of(swapsProvider, swap)
    const polled = await withPoll(runtime, swap)
    const [report] = await provider.deposits([watched(polled)])
    if (!report) throw errors.swap_provider_failed()
    if (report instanceof Error) throw report
    return processSwap(runtime, polled, report)
  })

/**
 * Keeps why a swap could not be processed, for operators, and when it is tried next. A deposit that could not be swapped for
 * too long is sent back.
 */
export async function recordFailure(
  runtime: Runtime,
  reference: SwapReference & { readonly pollSeconds: number },
  error: unknown,
): Promise<void> {
  const waits = error instanceof ServiceError && error.status === 409
  const { nextPollAt, pollSeconds } = nextAttempt(reference, waits)
  const minutes = swapsSettings.from(runtime.settings).SWAP_GIVE_UP_MINUTES
  const { rows } = await runtime.pool.query<{ overdue: boolean }>(
    `update swap_polls q set failing_since = coalesce(failing_since, now()), error = $2, next_poll_at = $3, poll_seconds = $4
      where id = $1
     returning failing_since < now() - make_interval(mins => $5) and exists (select from swaps s where s.id = q.id and s.status = 'swapping') as overdue`,
    [
      reference.id,
      error instanceof ServiceError ? error.message : 'Unexpected error',
      nextPollAt,
      pollSeconds,
      minutes,
    ],
  )
  if (!rows[0]?.overdue) return
  const context = queryContext(runtime, system(reference.organisationId, reference.environment))
  await unitOfWork(context, (unit) => giveUp(unit, reference.id, new Date(Date.now() - minutes * 60_000)))
}
