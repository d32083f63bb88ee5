/** Swaps between EURC and USDC on Solana, and indicative rates. */
import { bind } from '@payments/kernel'
import { domain, withFaults } from '@payments/platform'
import { addressTask } from './addresses.ts'
import { swapsAdminRouter } from './admin-router.ts'
import { advance } from './advance.ts'
import { entities, swapResource } from './entity.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import { failureReasons } from './failure-reasons.ts'
import { feePayerTask } from './fee-payer.ts'
import { swapsPurge } from './jobs.ts'
import { seedOf } from './keys.ts'
import { metrics } from './metrics.ts'
import { migrations } from './migrations.ts'
import { notifications } from './notifications.ts'
import { operators } from './operators.ts'
import { pollTask } from './poller.ts'
import { type SandboxSwaps, type SwapsProvider, swapsProvider } from './provider.ts'
import { swapReceipt } from './receipt.ts'
import { ratesRouter, swapsRouter } from './router.ts'
import { sandboxSwaps } from './sandbox.ts'
import { swapsSandboxRouter } from './sandbox-router.ts'
import { swapsSettings } from './settings.ts'

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
  tags: [{ name: 'Swaps', description: 'EURC into USDC and back, on Solana', position: 60 }],
  router: {
    swaps: swapsRouter,
    rates: ratesRouter,
    sandbox: { swaps: swapsSandboxRouter },
    admin: { swaps: swapsAdminRouter },
  },
  entities,
  resources: [swapResource],
  migrations,
  counted: { swaps: {} },
  operators,
  errors,
  events,
  settings: swapsSettings,
  providers: [
    {
      port: swapsProvider,
      sandbox: SANDBOX,
      order: { setting: 'SWAPS_PROVIDERS', of: (settings) => swapsSettings.from(settings).SWAPS_PROVIDERS },
      create({ pool }) {
        const own = sandboxSwaps(pool)
        const faulty = withFaults<SandboxSwaps>(pool, SANDBOX, own, CALLS, errors.swap_provider_unavailable)
        return [bind(swapsProvider, 'test', faulty)]
      },
    },
  ],
  notifications,
  notificationTypes: { 'swap.failed': { description: 'A swap failed', email: true } },
  failureReasons: { Swaps: failureReasons },
  receipts: { swap: swapReceipt },
  jobs: [swapsPurge],
  tasks: [pollTask, addressTask, feePayerTask],
  metrics,
  sandbox: { advance },
  appendOnly: ['swap_deposits', 'swap_upkeep', 'swap_fee_payer_changes'],
  lastingSecrets(settings) {
    const seed = seedOf(settings)
    return seed ? [{ setting: 'SWAP_SEED', secret: seed }] : []
  },
})

export { type ListedAddress, listAddresses, storeSweep } from './addresses.ts'
export { type Currency, currencies } from './currencies.ts'
export { errors as swapsErrors } from './errors.ts'
export { type Signer, type SwapSigners, signersFrom, signersOf } from './keys.ts'
export {
  type DepositReport,
  type FeePayer,
  type OtherHolding,
  type PreparedTransaction,
  type SwapsProvider,
  swapsProvider,
  type TransactionOutcome,
  type WatchedAddress,
} from './provider.ts'
export { swapsSettings } from './settings.ts'
