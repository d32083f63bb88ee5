import { assetOf, checked, invalid, networkField, requestedAmount } from '@payments/kernel'
import { command } from '@payments/platform'
import { simulateHiddenDeposit } from '@payments/routes'
import { findSession } from '../collections/service.ts'
import type { SessionRow } from '../entity.ts'
import { errors } from './errors.ts'
import { decimal, missingAmount } from './present.ts'
import { SandboxPayment, SandboxPaymentResult } from './schemas.ts'

export const collectionsSandboxRouter = {
  pay: command({
    rest: 'POST /sandbox/checkout-sessions/{sessionId}/payments',
    access: 'sandbox',
    tag: 'Sandbox',
    summary: 'Simulate a payment to a checkout session',
    description:
      'Without fields, the payer sends exactly what is missing. It is delivered after 2 s. With an amount that ends in `.13` the provider times out for 30 s; then the payment was delivered. Another currency or network than requested does not count as paid.',
    message: 'Payment simulated',
    status: 201,
    input: SandboxPayment,
    output: SandboxPaymentResult,
    errors: [errors.checkout_session_not_found],
    async run(unit, { sessionId, outcome, ...given }) {
      const session = await findSession(unit, sessionId)
      const networkKey = given.networkKey ?? session.networkKey
      const currency = given.currency ?? session.currency
      const amount = amountOf(session, networkKey, currency, given.amount)
      await simulateHiddenDeposit(unit, session.routeId, { networkKey, currency, amount, outcome })
      return { sessionId: session.id, networkKey, currency, amount: decimal(amount, currency), outcome }
    },
  }),
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
