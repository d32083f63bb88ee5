import { merchantProfile } from '@payments/accounts'
import { errorCode, ServiceError, system } from '@payments/kernel'
import {
  aboutObject,
  constraintOf,
  OTHER_CREDENTIALS,
  type QueryContext,
  queryContext,
  type Runtime,
  type UnitOfWork,
  unitOfWork,
} from '@payments/platform'
import { holdBack } from '../../customers/rules.ts'
import type { TransferRow } from '../../entity.ts'
import { errors } from '../../errors.ts'
import { credentialsNow, treasuryProvider } from '../../provider/holder.ts'
import type { CallBudget, Order, ProviderTransaction, SendResult } from '../../provider/provider.ts'
import { budgetOf } from '../../provider/rate-budget.ts'
import { pollFeedSoon } from '../../provider/schedule.ts'
import { begun, fail, lockedTransfer, update } from '../../resources/transfers.ts'
import { NOT_INITIATED } from './evidence.ts'
import { fingerprintOf } from './fingerprint.ts'
import { confirm, endSend, resolve, unmatch } from './found.ts'
import { doubt, hold, holdForgotten, isOfOthers } from './holds.ts'
import { type ClaimedSend, claim, insertSend, lose, notCalled, postpone, refuse } from './table.ts'

/** An order that waits because an equal one is not known yet is tried again after this. */
const EQUAL_SECONDS = 1
/** A process that was stopped for longer than this after its claim does not send any more. */
const STALE_MS = 15_000
/** A treasury that is short is looked at again after this. */
const SHORT_SECONDS = 30

/** The order of an object. A convert sends cNGN to the address that converts it. */
function orderOf(row: TransferRow, account: string): Order {
  return {
    id: row.id,
    account,
    amount: row.amount ?? 0n,
    destination:
      row.kind === 'payout'
        ? { type: 'bank', bankCode: row.bankCode ?? '', accountNumber: row.accountNumber ?? '' }
        : row.kind === 'convert'
          ? { type: 'wallet', networkKey: row.receiveNetworkKey ?? '', address: row.receiveAt ?? '' }
          : { type: 'wallet', networkKey: row.networkKey ?? '', address: row.address ?? '' },
  }
}

/** Queues the order of a new object, with the commit that creates and reserves it. */
export function queueSend(unit: UnitOfWork, row: TransferRow): void {
  const account = treasuryProvider(unit.runtime, row.environment).account(row.organisationId)
  const { destination, amount } = orderOf(row, account)
  insertSend(unit, {
    id: row.id,
    organisationId: row.organisationId,
    environment: row.environment,
    kind: row.kind,
    account,
    fingerprint:
      destination.type === 'bank'
        ? fingerprintOf(account, 'payout', amount, destination.accountNumber)
        : fingerprintOf(account, 'withdrawal', amount, destination.address),
    createdAt: row.createdAt,
  })
}

/**
 * Sends one order. It is claimed in the database before the call, so a process that dies leaves an order of which nothing is known
 * but its fingerprint; `unresolved.ts` finds it in the provider's list, or finds that it was not sent. While it is in doubt, no equal
 * order is sent, so that a movement in the list never fits two.
 */
export async function send(runtime: Runtime, claimed: ClaimedSend): Promise<void> {
  const context = queryContext(runtime, system(claimed.organisationId, claimed.environment))
  const began = Date.now()
  const row = await claimOrder(context, claimed)
  if (!row) return
  const account = treasuryProvider(runtime, claimed.environment).account(claimed.organisationId)
  const result = Date.now() - began > STALE_MS ? stale : await callProvider(context, claimed, orderOf(row, account))
  await unitOfWork(context, (unit) =>
    'failed' in result ? noteUnknown(unit, claimed, result.failed) : applyResult(unit, claimed, result),
  )
  await pollFeedSoon(runtime, claimed.environment, account)
}

const stale: SendResult = { status: 'not_sent', called: false, retryAfter: EQUAL_SECONDS }

/** What the provider answers, or what was thrown instead. */
async function callProvider(
  context: QueryContext,
  claimed: ClaimedSend,
  order: Order,
): Promise<SendResult | { readonly failed: unknown }> {
  const { environment } = claimed
  const inner = budgetOf(context, environment, 'send')
  let called = false
  const budget: CallBudget = {
    ...inner,
    async take() {
      await inner.take()
      called = true
    },
  }
  try {
    return await aboutObject(claimed, () => treasuryProvider(context.runtime, environment).send(order, budget))
  } catch (error) {
    const isBusy = error instanceof ServiceError && error.code === errors.cngn_provider_busy.code
    return isBusy && !called
      ? { status: 'not_sent', called: false, retryAfter: error.retryAfter ?? EQUAL_SECONDS }
      : { failed: error }
  }
}

/** Marks an order as sent before it is, and moves its object on. Null: it must wait, may have been sent already, or has ended. */
async function claimOrder(context: QueryContext, { id, kind }: ClaimedSend): Promise<TransferRow | null> {
  try {
    return await unitOfWork(context, async (unit) => {
      const row = await lockedTransfer(unit, kind, id)
      const credentials = credentialsNow(unit.runtime, row.environment)
      if (await isOfOthers(unit, id, credentials)) {
        if (!row.attention) await update(unit, row, { attention: OTHER_CREDENTIALS })
        await postpone(unit, id, SHORT_SECONDS, OTHER_CREDENTIALS)
        return null
      }
      if (await doubt(unit, id, credentials)) {
        const waits = row.approvalStatus === 'waiting'
        await update(unit, waits ? row : await begun(unit, row), { providerOutcome: 'unknown' })
        return null
      }
      // An equal one is in doubt, and comes first. It is never sent before a second person approves it.
      if (row.approvalStatus === 'waiting') {
        await postpone(unit, id, EQUAL_SECONDS)
        return null
      }
      if (await holdForgotten(unit, id, row.amount ?? null)) {
        await update(unit, await begun(unit, row), { providerOutcome: 'unknown', attention: 'outcome_unknown' })
        return null
      }
      if (await holdSuspended(unit, row)) return null
      if (await holdBack(unit, row.amount ?? 0n)) {
        await postpone(unit, id, SHORT_SECONDS, errors.cngn_float_short.code)
        return null
      }
      if (await claim(unit, id, row.amount ?? null, credentials)) return begun(unit, row)
      await postpone(unit, id, EQUAL_SECONDS)
      return null
    })
  } catch (error) {
    // Another process claimed an equal order at the same moment.
    if (constraintOf(error) !== 'cngn_sends_unresolved_key') throw error
    await unitOfWork(context, (unit) => postpone(unit, id, EQUAL_SECONDS))
    return null
  }
}

/** What an organisation has not sent before it was suspended is not sent, unless an operator has released it. */
async function holdSuspended(unit: UnitOfWork, row: TransferRow): Promise<boolean> {
  const { suspended } = await merchantProfile(unit, row.organisationId)
  if (!suspended || !(await hold(unit, row.id, 'organisation_suspended'))) return false
  await update(unit, row, { attention: row.attention ?? 'organisation_suspended' })
  return true
}

/** The answer of the provider to an order that was sent. */
async function applyResult(unit: UnitOfWork, { id, kind }: ClaimedSend, result: SendResult): Promise<void> {
  const row = await lockedTransfer(unit, kind, id)
  if (result.status === 'accepted') {
    if (await resolve(unit, id, result.reference))
      await update(unit, row, {
        providerReference: result.reference,
        providerOutcome: null,
        ...(row.attention === 'outcome_unknown' ? { attention: null } : {}),
      })
    else await confirm(unit, id, result.reference)
    return
  }
  // A provider that recognises its orders sends none twice, so its word is enough.
  const isCertain = !result.called || treasuryProvider(unit.runtime, row.environment).knowsOrders
  if (result.status === 'rejected') {
    if (!isCertain) return void (await refuse(unit, id, result.reason, 0, null))
    await fail(unit, row, result.reason)
    return endSend(unit, id)
  }
  const because = result.because ?? null
  if (isCertain) await notCalled(unit, id, result.retryAfter, because)
  else await refuse(unit, id, NOT_INITIATED, result.retryAfter, because)
}

/**
 * The movement that was found for an order by what it looks like has failed. It may be another attempt, so the order is unresolved
 * again: it is sent again only if no list shows it and the treasury has its money.
 */
export async function release(unit: UnitOfWork, row: TransferRow, tx: ProviderTransaction): Promise<TransferRow> {
  if (await unmatch(unit, row.id, tx.reference))
    return update(unit, row, { providerReference: null, providerOutcome: 'unknown' })
  return row.attention ? row : update(unit, row, { attention: 'outcome_unknown' })
}

/** The provider did not answer: whether the order was sent is unknown until its list shows it or does not. */
async function noteUnknown(unit: UnitOfWork, { id, kind }: ClaimedSend, error: unknown): Promise<void> {
  const row = await lockedTransfer(unit, kind, id)
  const lost = await lose(unit, id, errorCode(error))
  if (lost && row.status === 'processing') await update(unit, row, { providerOutcome: 'unknown' })
  if (!(error instanceof ServiceError)) unit.log.warn({ err: error, transfer: id }, 'order failed without an answer')
}
