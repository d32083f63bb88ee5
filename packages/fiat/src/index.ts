/** Local fiat: stablecoin to bank accounts and mobile money (offramps), and back (onramps). */
import { bind } from '@payments/kernel'
import { domain, withFaults } from '@payments/platform'
import { fiatAdminRouter } from './admin-router.ts'
import { advance } from './advance.ts'
import { anonymise } from './anonymise.ts'
import { callbacks } from './callbacks.ts'
import { countedOrders } from './counters.ts'
import { entities } from './entity.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import { offrampFailures, onrampFailures } from './failure-reasons.ts'
import { fiatPurge } from './jobs.ts'
import { metrics } from './metrics.ts'
import { migrations } from './migrations.ts'
import { notifications } from './notifications.ts'
import { operators } from './operators.ts'
import { pollTask } from './poller.ts'
import { type FiatProvider, fiatProvider, type SandboxFiat } from './provider.ts'
import { offrampReceipt, onrampReceipt } from './receipt.ts'
import { offrampResource, onrampResource, refundResource } from './resources.ts'
import { fiatRouter, offrampsRouter, onrampsRouter } from './router.ts'
import { sandboxFiat } from './sandbox.ts'
import { sandboxRouter } from './sandbox-router.ts'
import { fiatSettings } from './settings.ts'

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
  entities,
  resources: [offrampResource, onrampResource, refundResource],
  migrations,
  operators,
  errors,
  events,
  settings: fiatSettings,
  providers: [
    {
      port: fiatProvider,
      sandbox: SANDBOX,
      order: { setting: 'FIAT_PROVIDERS', of: (settings) => fiatSettings.from(settings).FIAT_PROVIDERS },
      create({ pool }) {
        const sandbox = withFaults<SandboxFiat>(
          pool,
          SANDBOX,
          sandboxFiat(pool),
          CALLS,
          errors.fiat_provider_unavailable,
        )
        return [bind(fiatProvider, 'test', sandbox)]
      },
    },
  ],
  callbacks,
  notifications,
  notificationTypes: {
    'payout.delivered': { description: 'A payout reached its bank account', email: false },
    'payout.failed': { description: 'A payout failed', email: true },
    'purchase.failed': { description: 'A purchase of digital currency failed', email: true },
  },
  failureReasons: { Offramps: offrampFailures, Onramps: onrampFailures },
  receipts: { offramp: offrampReceipt, onramp: onrampReceipt },
  jobs: [fiatPurge],
  tasks: [pollTask],
  metrics,
  anonymise,
  sandbox: { advance },
  appendOnly: ['fiat_order_counts'],
  counted: { offramps: countedOrders, onramps: countedOrders },
})

export { accountName, type CheckedAccount, nameWords, sameHolder } from './accounts.ts'
export { fiatConversions } from './amounts.ts'
export { errors as fiatErrors } from './errors.ts'
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
  type NewOfframpOrder,
  type NewOnrampOrder,
  type Offers,
  type OrderQuery,
  type OrderReport,
  type SellQuote,
  type SellQuoteRequest,
} from './provider.ts'
export { ngnBank } from './rules.ts'
export { sandboxFiat } from './sandbox.ts'
export { AccountCheck } from './schemas.ts'
