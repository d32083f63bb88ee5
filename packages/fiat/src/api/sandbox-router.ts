import { assetNamed, requestedAmount } from '@payments/kernel'
import { command, type UnitOfWork } from '@payments/platform'
import { decimal } from '../currencies/amounts.ts'
import { errors } from '../errors.ts'
import { findOfframp, findOnramp } from '../orders/service.ts'
import { simulateMoney } from '../polling/simulated.ts'
import { SandboxDeposit, SandboxDepositResult, SandboxPayment, SandboxPaymentResult } from '../schemas.ts'

/** The payer's money arrives at the sandbox provider, and the order is polled at once. */
async function receive(
  unit: UnitOfWork,
  orderId: string,
  given: string | undefined,
  expected: bigint,
  currency: string,
) {
  const amount = given === undefined ? expected : requestedAmount(given, assetNamed(currency))
  await simulateMoney(unit, { reference: orderId, amount })
  return { orderId, amount: decimal(amount, currency), currency }
}

const SETTLES =
  'It is paid out after 2 s. With an amount of the order that ends in `.13` the outcome is unknown for 30 s.'

export const sandboxRouter = {
  offramps: {
    deposit: command({
      rest: 'POST /sandbox/offramps/{orderId}/deposits',
      access: 'sandbox',
      role: 'finance-or-developer',
      tag: 'Sandbox',
      summary: 'Simulate the deposit of an offramp',
      description: `${SETTLES} Accounts \`0000000000\` (invalid), \`0000000001\` (rejected) and \`0000000002\` (returned by the bank) fail; with \`0000000003\` the order stays \`settled\` for 10 minutes.`,
      message: 'Deposit simulated',
      status: 201,
      input: SandboxDeposit,
      output: SandboxDepositResult,
      errors: [errors.offramp_not_found, errors.sandbox_order_closed],
      async run(unit, { orderId, amount }) {
        const order = await findOfframp(unit, orderId)
        return receive(unit, order.id, amount, order.depositAmount, order.sourceCurrency)
      },
    }),
  },
  onramps: {
    payment: command({
      rest: 'POST /sandbox/onramps/{orderId}/payments',
      access: 'sandbox',
      role: 'finance-or-developer',
      tag: 'Sandbox',
      summary: 'Simulate the payment of an onramp',
      description: `${SETTLES} A payment up to an hour after the order expired is accepted, a later one is sent back.`,
      message: 'Payment simulated',
      status: 201,
      input: SandboxPayment,
      output: SandboxPaymentResult,
      errors: [errors.onramp_not_found, errors.sandbox_order_closed],
      async run(unit, { orderId, amount }) {
        const order = await findOnramp(unit, orderId)
        return receive(unit, order.id, amount, order.paymentAmount, order.sourceCurrency)
      },
    }),
  },
}
