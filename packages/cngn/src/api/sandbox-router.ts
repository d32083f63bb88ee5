import { customerErrors } from '@payments/customers'
import { command, sqlOf, type UnitOfWork } from '@payments/platform'
import type { TransferRow } from '../entity.ts'
import { errors } from '../errors.ts'
import { decimal, minorAmount } from '../kinds/amounts.ts'
import { CNGN } from '../kinds/kinds.ts'
import { cngnProvider } from '../provider/provider.ts'
import { convertedAt, timesOut } from '../provider/sandbox.ts'
import { FEED, FEED_SOON } from '../provider/schedule.ts'
import { findTransfer } from '../resources/transfers.ts'
import {
  SandboxBankTransfer,
  SandboxConvertDeposit,
  SandboxDeposit,
  SandboxPayinPayment,
  SandboxReceipt,
} from '../schemas.ts'
import { virtualAccount } from '../transfers/service.ts'

const SETTLES = 'It arrives at once and settles after 2 s, with an amount that ends in `.13` after 30 s.'
/** What arrives at a deposit address if nothing else is said: a thousand cNGN. */
const DEPOSIT = 1_000_000_000n

/** Money arrives at the sandbox provider, and its list is read at once. */
async function arrive(
  unit: UnitOfWork,
  receipt: {
    asset: string
    amount: bigint
    channel: 'bank_in' | 'crypto_in'
    targets: readonly string[]
    rate?: string | null | undefined
  },
) {
  const { asset, amount, channel, targets, rate } = receipt
  const converted = rate ? convertedAt(rate, asset, amount) : { fee: 0n, convertedAmount: null }
  const { txHash } = await unit.runtime.providers.sandbox(cngnProvider).simulateReceipt(sqlOf(unit.em), {
    organisationId: unit.actor.organisationId,
    ...{ channel, asset, amount, targets, ...converted },
    timesOut: timesOut(amount, asset),
  })
  await sqlOf(unit.em).query(FEED_SOON, [unit.actor.environment, unit.actor.organisationId, 0])
  unit.afterCommit(() => unit.runtime.trigger(FEED))
  const currency = channel === 'bank_in' ? 'NGN' : asset
  return { amount: decimal(amount, asset), currency, txHash }
}

const given = (amount: string | undefined, otherwise: bigint | null | undefined, symbol: string, decimals?: number) =>
  amount === undefined ? (otherwise ?? DEPOSIT) : minorAmount(amount, symbol, decimals)
const address = (row: TransferRow) => [row.receiveAt ?? '']

export const sandboxRouter = {
  cngn: {
    bankTransfer: command({
      rest: 'POST /sandbox/cngn/customers/{customerId}/bank-transfers',
      access: 'sandbox',
      role: 'finance-or-developer',
      tag: 'Sandbox',
      summary: 'Simulate a bank transfer to the account of a customer',
      description: `A payin appears. ${SETTLES}`,
      message: 'Bank transfer simulated',
      status: 201,
      input: SandboxBankTransfer,
      output: SandboxReceipt,
      errors: [customerErrors.customer_not_found, errors.cngn_not_enabled, errors.cngn_provider_unavailable],
      async run(unit, { customerId, amount }) {
        const { accountNumber } = await virtualAccount(unit, customerId)
        return arrive(unit, {
          ...{ channel: 'bank_in', asset: CNGN },
          amount: minorAmount(amount, CNGN, 2),
          targets: [accountNumber],
        })
      },
    }),
    payin: command({
      rest: 'POST /sandbox/cngn/payins/{payinId}/payments',
      access: 'sandbox',
      role: 'finance-or-developer',
      tag: 'Sandbox',
      summary: 'Simulate the payment of a payin',
      description: `Default: what the payin asks for. ${SETTLES} A second payment, or one after the end of its time, is credited as a payin of its own, with \`relatedPayinId\`.`,
      message: 'Payment simulated',
      status: 201,
      input: SandboxPayinPayment,
      output: SandboxReceipt,
      errors: [errors.cngn_payin_not_found, errors.sandbox_cngn_closed],
      async run(unit, { payinId, amount }) {
        const row = await findTransfer(unit, 'payin', payinId)
        // Paid into the permanent account: it has no reference of its own.
        if (!row.reference) throw errors.sandbox_cngn_closed()
        return arrive(unit, {
          ...{ channel: 'bank_in', asset: CNGN, targets: [row.reference, row.accountNumber ?? ''] },
          amount: given(amount, row.receiveAmount, CNGN, 2),
        })
      },
    }),
    deposit: command({
      rest: 'POST /sandbox/cngn/deposits/{depositId}/deposits',
      access: 'sandbox',
      role: 'finance-or-developer',
      tag: 'Sandbox',
      summary: 'Simulate a deposit of cNGN',
      description: `Default: 1000 cNGN. ${SETTLES}`,
      message: 'Deposit simulated',
      status: 201,
      input: SandboxDeposit,
      output: SandboxReceipt,
      errors: [errors.cngn_deposit_not_found],
      async run(unit, { depositId, amount }) {
        const row = await findTransfer(unit, 'deposit', depositId)
        return arrive(unit, {
          ...{ channel: 'crypto_in', asset: CNGN, targets: address(row) },
          amount: given(amount, DEPOSIT, CNGN),
        })
      },
    }),
    convert: command({
      rest: 'POST /sandbox/cngn/converts/{convertId}/deposits',
      access: 'sandbox',
      role: 'finance-or-developer',
      tag: 'Sandbox',
      summary: 'Simulate the deposit of a convert',
      description: `Default: what the convert asks for. ${SETTLES} Another amount is converted at the same rate.`,
      message: 'Deposit simulated',
      status: 201,
      input: SandboxConvertDeposit,
      output: SandboxReceipt,
      errors: [errors.cngn_convert_not_found, errors.sandbox_cngn_closed],
      async run(unit, { convertId, amount }) {
        const row = await findTransfer(unit, 'convert', convertId)
        const asset = row.fromCurrency ?? CNGN
        // A convert out of cNGN has no deposit.
        if (asset === CNGN) throw errors.sandbox_cngn_closed()
        return arrive(unit, {
          ...{ channel: 'crypto_in', asset, targets: address(row), rate: row.rate },
          amount: given(amount, row.receiveAmount, asset),
        })
      },
    }),
  },
}
