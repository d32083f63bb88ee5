/** Local fiat: stablecoin to bank accounts and mobile money (offramps), and back (onramps). */
// Order, lowest first: errors, failure-reasons, states, currencies, schemas, events, provider, receipt, entities,
// notifications, accounts, quotes, orders, money, polling, operators, api, migrations.
import { bind } from '@payments/kernel'
import { domain, withFaults } from '@payments/platform'
import { fiatAdminRouter } from './api/admin-router.ts'
import { callbacks } from './api/callbacks.ts'
import { fiatRouter, offrampsRouter, onrampsRouter } from './api/router.ts'
import { sandboxRouter } from './api/sandbox-router.ts'
import { entities } from './entities/entity.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import { offrampFailures, onrampFailures } from './failure-reasons.ts'
import { migrations } from './migrations.ts'
import { notifications } from './notifications.ts'
import { fiatPurge } from './operators/jobs.ts'
import { metrics } from './operators/metrics.ts'
import { operators } from './operators/operators.ts'
import { restore } from './operators/restore.ts'
import { anonymise } from './orders/anonymise.ts'
import { countedOnramps, countedOrders } from './orders/counters.ts'
import { offrampResource, onrampResource, refundResource } from './orders/resources.ts'
import { advance } from './polling/advance.ts'
import { pollTask } from './polling/polls.ts'
import { type FiatProvider, fiatProvider, type SandboxFiat } from './provider/provider.ts'
import { sandboxFiat } from './provider/sandbox.ts'
import { fiatSettings } from './provider/settings.ts'
import { offrampReceipt, onrampReceipt } from './receipt.ts'

const SANDBOX = 'fiat'
const CALLS = [
  'offers',
  'institutions',
  'accountName',
  'sellQuote',
  'createOfframp',
  'createOnramp',
  'report',
] as const satisfies (keyof FiatProvider)[]

export const fiat = domain({
  name: 'fiat',
  settings: fiatSettings,
  providers: [
    {
      port: fiatProvider,
      sandbox: SANDBOX,
      order: { setting: 'FIAT_PROVIDERS', of: (settings) => fiatSettings.from(settings).FIAT_PROVIDERS },
      create({ db, lookups }) {
        const sandbox = withFaults<SandboxFiat>(
          lookups,
          SANDBOX,
          sandboxFiat(db),
          CALLS,
          errors.fiat_provider_unavailable,
        )
        return [bind(fiatProvider, 'test', sandbox)]
      },
    },
  ],
  api: {
    tags: [
      {
        name: 'Local fiat',
        description: 'Currencies, banks, account verification and quotes for offramps and onramps',
        position: 60,
      },
      { name: 'Offramps', description: 'Stablecoin to a bank account or mobile money', position: 61 },
      { name: 'Onramps', description: 'Local fiat to stablecoin', position: 62 },
    ],
    router: {
      fiat: fiatRouter,
      offramps: offrampsRouter,
      onramps: onrampsRouter,
      sandbox: sandboxRouter,
      admin: { fiat: fiatAdminRouter },
    },
    errors,
    events,
    callbacks,
    sandbox: { advance },
  },
  data: {
    entities,
    resources: [offrampResource, onrampResource, refundResource],
    migrations,
    counted: { offramps: countedOrders, onramps: countedOnramps },
    moves: {
      found: {
        sandbox_fiat_orders: [
          { column: 'reference', of: 'offramps', key: 'id' },
          { column: 'reference', of: 'onramps', key: 'id' },
        ],
      },
    },
    anonymise,
    restore,
  },
  money: {
    ownAddresses: [{ what: 'a deposit address of this service', from: 'offramps', by: 'deposit_address' }],
    receipts: { offramp: offrampReceipt, onramp: onrampReceipt },
    failureReasons: { Offramps: offrampFailures, Onramps: onrampFailures },
  },
  work: {
    jobs: [fiatPurge],
    tasks: [pollTask],
    notifications,
    notificationTypes: {
      'payout.delivered': { description: 'A payout reached its bank account', email: false },
      'payout.failed': { description: 'A payout failed', email: true },
      'purchase.failed': { description: 'A bank payment could not be converted (onramp)', email: true },
    },
  },
  operators: {
    ...operators,
    metrics,
    objects: [
      { kind: 'offramp', parameter: 'orderId', ...offrampResource },
      { kind: 'onramp', parameter: 'orderId', ...onrampResource },
    ],
  },
})

export { accountName, type CheckedAccount, nameWords, sameHolder } from './accounts/accounts.ts'
export { fiatConversions } from './currencies/amounts.ts'
export { errors as fiatErrors } from './errors.ts'
export { type HiddenPayment, type HiddenPaymentReceiver, hiddenPayments } from './money/hidden-payments.ts'
export {
  accountOf,
  type BankTransferOffer,
  bankTransferOffer,
  createBankTransfer,
  type NewBankTransfer,
  type PreparedBankTransfer,
  prepareBankTransfer,
  type RefundBankAccount,
  settleBankTransfer,
  type TransferAccount,
} from './operators/hidden-onramps.ts'
export { simulateMoney } from './polling/simulated.ts'
export {
  type AcceptedOfframp,
  type AcceptedOnramp,
  type Account,
  type AccountName,
  type Corridor,
  type Direction,
  type FiatProvider,
  fiatProvider,
  type Institution,
  type ListedOrder,
  type NewOfframpOrder,
  type NewOnrampOrder,
  type Offers,
  type OnrampAmount,
  type OrderQuery,
  type OrderReport,
  type SellQuote,
  type SellQuoteRequest,
} from './provider/provider.ts'
export { sandboxFiat } from './provider/sandbox.ts'
export { ngnBank } from './quotes/rules.ts'
export { saleRate } from './quotes/sale-rate.ts'
export { AccountCheck } from './schemas.ts'

/** SQL: the bank transfers to objects of other domains, each with the id of its owner. */
export const paymentsOfOwners = `(select owner_id as id, organisation_id, environment, tx_hash, payment_reference from onramps
  where owner_id is not null)`
