import { fiatErrors, simulateMoney } from '@payments/fiat'
import { assetNamed, assetOf, checked, invalid, networkField, requestedAmount } from '@payments/kernel'
import { command, type UnitOfWork } from '@payments/platform'
import { simulateHiddenDeposit } from '@payments/routes'
import type { z } from 'zod'
import { findSession } from '../collections/service.ts'
import type { SessionRow } from '../entity.ts'
import { errors } from '../errors.ts'
import { decimal } from '../present.ts'
import { SandboxPayment, SandboxPaymentResult } from '../schemas.ts'
import { missingAmount } from '../terms/policy.ts'
import { openAccount, unpaidAccount } from '../terms/transfers.ts'

export const collectionsSandboxRouter = {
  pay: command({
    rest: 'POST /sandbox/checkout-sessions/{sessionId}/payments',
    access: 'sandbox',
    role: 'finance-or-developer',
    tag: 'Sandbox',
    summary: 'Simulate a payment to a checkout session',
    description:
      'Without fields, the payer sends exactly what is missing, or transfers what the bank account of the session asks for. It is delivered after 2 s. With an amount that ends in `.13` the provider times out for 30 s; then the payment was delivered. Another currency or network than requested does not count as paid.',
    message: 'Payment simulated',
    status: 201,
    input: SandboxPayment,
    output: SandboxPaymentResult,
    errors: [errors.checkout_session_not_found, fiatErrors.sandbox_order_closed],
    async run(unit, { sessionId, outcome, ...given }) {
      const session = await findSession(unit, sessionId)
      const isAsked = openAccount(session) && !given.currency && !given.networkKey
      const method = given.method ?? (isAsked ? 'bank_transfer' : 'onchain')
      if (method === 'bank_transfer') return transfer(unit, session, { ...given, outcome })
      const networkKey = given.networkKey ?? session.networkKey
      const currency = given.currency ?? session.currency
      const amount = amountOf(session, networkKey, currency, given.amount)
      await simulateHiddenDeposit(unit, session.routeId, { networkKey, currency, amount, outcome })
      return { sessionId: session.id, method, networkKey, currency, amount: decimal(amount, currency), outcome }
    },
  }),
}

type Given = Omit<z.output<typeof SandboxPayment>, 'sessionId'>

/** The payer transfers to the bank account of a session. @throws validation_failed 422, sandbox_order_closed 409 */
async function transfer(
  unit: UnitOfWork,
  session: SessionRow,
  { amount, currency, networkKey, outcome }: Given,
): Promise<z.infer<typeof SandboxPaymentResult>> {
  const account = unpaidAccount(session)
  if (!account) throw invalid({ method: 'The session has no bank account that waits for a transfer' })
  if (networkKey) throw invalid({ networkKey: 'Must be left out: a bank transfer has no network' })
  if (currency && currency !== account.currency) throw invalid({ currency: `Must be ${account.currency}` })
  const sent = amount === undefined ? BigInt(account.amount) : requestedAmount(amount, assetNamed(account.currency))
  await simulateMoney(unit, { reference: account.id, amount: sent, outcome })
  return {
    sessionId: session.id,
    method: 'bank_transfer',
    networkKey: null,
    currency: account.currency,
    amount: decimal(sent, account.currency),
    outcome,
  }
}

/** @throws validation_failed 422 */
function amountOf(session: SessionRow, networkKey: string, currency: string, given: string | undefined): bigint {
  const network = checked((wrong) => networkField(wrong, 'networkKey', networkKey))
  const asset = assetOf(currency)
  if (!asset || !(network.currencies as readonly string[]).includes(currency))
    throw invalid({ currency: `Not available on ${networkKey}: one of ${network.currencies.join(', ')}` })
  if (given === undefined) {
    if (currency !== session.currency) throw invalid({ amount: 'Required with another currency' })
    return missingAmount(session) || session.amount
  }
  return requestedAmount(given, asset)
}
