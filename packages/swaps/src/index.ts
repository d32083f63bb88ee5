/** Swaps between EURC and USDC on Solana, and indicative rates. */
// Order, lowest first: errors, failure-reasons, states, currencies, schemas, events, provider, receipt,
// notifications, addresses, present, entity, swaps, transactions, polling, api, operators, migrations.
import { bind } from '@payments/kernel'
import { domain, withFaults } from '@payments/platform'
import { addressTask } from './addresses/addresses.ts'
import { seedOf } from './addresses/keys.ts'
import { restore } from './addresses/restore.ts'
import { swapsAdminRouter } from './api/admin-router.ts'
import { ratesRouter, swapsRouter } from './api/router.ts'
import { swapsSandboxRouter } from './api/sandbox-router.ts'
import { entities, swapResource } from './entity.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import { failureReasons } from './failure-reasons.ts'
import { migrations } from './migrations.ts'
import { notifications } from './notifications.ts'
import { swapsPurge } from './operators/jobs.ts'
import { metrics } from './operators/metrics.ts'
import { moves } from './operators/moves.ts'
import { operators } from './operators/operators.ts'
import { advance } from './polling/advance.ts'
import { pollTask } from './polling/poller.ts'
import { feePayerJob } from './provider/fee-payer.ts'
import { type SandboxSwaps, type SwapsProvider, swapsProvider } from './provider/provider.ts'
import { sandboxSwaps } from './provider/sandbox.ts'
import { swapsSettings } from './provider/settings.ts'
import { swapReceipt } from './receipt.ts'

const SANDBOX = 'swaps'
const CALLS = [
  'prepareAddress',
  'quote',
  'deposits',
  'prepareSwap',
  'prepareRefund',
  'send',
  'outcome',
] as const satisfies (keyof SwapsProvider)[]

export const swaps = domain({
  name: 'swaps',
  settings: swapsSettings,
  providers: [
    {
      port: swapsProvider,
      sandbox: SANDBOX,
      order: { setting: 'SWAPS_PROVIDERS', of: (settings) => swapsSettings.from(settings).SWAPS_PROVIDERS },
      create({ db, lookups }) {
        const own = sandboxSwaps(db)
        const faulty = withFaults<SandboxSwaps>(lookups, SANDBOX, own, CALLS, errors.swap_provider_unavailable)
        return [bind(swapsProvider, 'test', faulty)]
      },
    },
  ],
  api: {
    tags: [{ name: 'Swaps', description: 'EURC into USDC and back, on Solana', position: 60 }],
    router: {
      swaps: swapsRouter,
      rates: ratesRouter,
      sandbox: { swaps: swapsSandboxRouter },
      admin: { swaps: swapsAdminRouter },
    },
    errors,
    events,
    sandbox: { advance },
  },
  data: {
    entities,
    resources: [swapResource],
    migrations,
    counted: { swaps: {} },
    moves,
    restore,
    appendOnly: ['swap_deposits', 'swap_upkeep', 'swap_fee_payer_changes'],
    lastingSecrets(settings) {
      const seed = seedOf(settings)
      return seed ? [{ setting: 'SWAP_SEED', secret: seed }] : []
    },
  },
  money: {
    receipts: { swap: swapReceipt },
    failureReasons: { Swaps: failureReasons },
    ownAddresses: [
      { what: 'a deposit address of this service', from: 'swap_addresses', by: 'address' },
      {
        what: 'the wallet from which this service pays the fees of the network',
        from: 'swap_fee_payers',
        by: 'address',
      },
    ],
  },
  work: {
    jobs: [swapsPurge, feePayerJob],
    tasks: [pollTask, addressTask],
    notifications,
    notificationTypes: { 'swap.failed': { description: 'A swap failed', email: true } },
  },
  operators: { ...operators, metrics, objects: [{ kind: 'swap', parameter: 'swapId', ...swapResource }] },
})

export { type ListedAddress, listAddresses, storeSweep } from './addresses/addresses.ts'
export { type Signer, type SwapSigners, signersFrom, signersOf } from './addresses/keys.ts'
export { type Currency, currencies } from './currencies.ts'
export { errors as swapsErrors } from './errors.ts'
export {
  type ChainWithdrawal,
  type DepositReport,
  type FeePayer,
  type OtherHolding,
  type PreparedTransaction,
  type SwapsProvider,
  swapsProvider,
  type TransactionOutcome,
  type WatchedAddress,
} from './provider/provider.ts'
export { currencyRate } from './provider/rates.ts'
export { swapsSettings } from './provider/settings.ts'
