import { type AccountName, accountName, type CheckedAccount, ngnBank, sameHolder } from '@payments/fiat'
import { invalid, newId } from '@payments/kernel'
import { countPayout } from '@payments/ledger'
import { createResource, type QueryContext, sqlOf, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { checkMoneyOut } from '../customers/rules.ts'
import { blank, type TransferRow } from '../entity.ts'
import { errors } from '../errors.ts'
import { checkLimits, minorAmount } from '../kinds/amounts.ts'
import { CNGN } from '../kinds/kinds.ts'
import { hold } from '../money/journal.ts'
import { heldBy } from '../provider/holder.ts'
import { type Bank, cngnProvider } from '../provider/provider.ts'
import { budgetOf } from '../provider/rate-budget.ts'
import { transferResources } from '../resources/resources.ts'
import type { NewPayout } from '../schemas.ts'
import { approvalOf, sendOrWait } from './approvals.ts'

type Input = z.output<typeof NewPayout>

/** A payout of one naira is the smallest that the provider makes. */
const LEAST = 1_000_000n
const FIELD = 'bankAccount.'

/** A checked request, with what the bank said of the account. */
export interface PreparedPayout {
  readonly amount: bigint
  readonly bank: Bank
  readonly holder: string
  readonly check: CheckedAccount
}

/**
 * Checks a request and asks the bank for the holder's name, before any transaction.
 * @throws validation_failed 422, cngn_not_enabled 409, cngn_float_short 503, cngn_insufficient_balance 422, cngn_reference_used 409, and
 * the provider's 502 and 503
 */
export async function preparePayout(context: QueryContext, input: Input): Promise<PreparedPayout> {
  const { environment } = context.actor
  const provider = await context.runtime.providers.for(cngnProvider, environment)
  const budget = budgetOf(context, environment)
  // A bank transfer has kobo: two decimals.
  const amount = minorAmount(input.amount, CNGN, 2)
  checkLimits(amount, CNGN, LEAST)
  await checkMoneyOut(context, input.customerId, amount)
  await checkReference(context, input.reference)
  const { accountNumber, bankCode, accountName: given } = input.bankAccount
  const account = { accountNumber, bankCode }
  const bank = ngnBank(await provider.banks(budget), account, FIELD)
  const ask = async (): Promise<AccountName> => {
    const name = await provider.accountName(account, budget)
    return name === null ? { status: 'not_found' } : { status: 'verified', accountName: name }
  }
  const check = await accountName(context, ask, { currency: 'NGN', ...account }, 'order')
  if (check.status === 'not_found') throw invalid({ [`${FIELD}accountNumber`]: `No such account at ${bank.name}` })
  const holder = given ?? (check.status === 'verified' ? check.accountName : undefined)
  if (!holder) throw invalid({ [`${FIELD}accountName`]: `Required: ${bank.name} does not return the holder’s name` })
  return { amount, bank, holder, check }
}

/** The unique index decides in the end. */
async function checkReference({ em, actor }: QueryContext, reference: string | null | undefined): Promise<void> {
  if (!reference) return
  const { rows } = await sqlOf(em).query(
    "select 1 from cngn_transfers where organisation_id = $1 and environment = $2 and kind = 'payout' and reference = $3",
    [actor.organisationId, actor.environment, reference],
  )
  if (rows.length > 0) throw errors.cngn_reference_used()
}

/**
 * Creates the prepared payout, reserves its money and queues its order, in one transaction.
 * @throws cngn_insufficient_balance 422, payout_limit_exceeded 422, payout_destination_refused 422
 */
export async function createPayout(unit: UnitOfWork, input: Input, prepared: PreparedPayout): Promise<TransferRow> {
  const { amount, bank, holder, check } = prepared
  const { accountNumber } = input.bankAccount
  const id = newId()
  const limitDay = await countPayout(unit, {
    asset: CNGN,
    amount,
    destination: { type: 'bank', bankCode: bank.code, accountNumber },
    field: 'bankAccount',
  })
  const approval = await approvalOf(unit, amount)
  await hold(unit, { id, kind: 'payout', customerId: input.customerId }, amount)
  const mismatch = check.status === 'verified' && !sameHolder(check.accountName, holder)
  const row = createResource(unit, transferResources.payout, {
    ...blank,
    id,
    organisationId: unit.actor.organisationId,
    environment: unit.actor.environment,
    kind: 'payout',
    customerId: input.customerId,
    ...heldBy(unit),
    amount,
    metadata: input.metadata ?? {},
    accountNumber,
    accountName: holder,
    bankCode: bank.code,
    bankName: bank.name,
    checkStatus: mismatch ? 'mismatch' : check.status === 'verified' ? 'verified' : 'unresolved',
    checkAccountName: check.status === 'verified' ? check.accountName : null,
    checkedAt: check.checkedAt,
    reference: input.reference ?? null,
    limitDay,
    ...approval,
  })
  await sendOrWait(unit, row)
  return row
}
