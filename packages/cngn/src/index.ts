/** cNGN, the naira stablecoin: enablement of customers, their balance, and its five kinds of movements. */
import { bind } from '@payments/kernel'
import { domain, withFaults } from '@payments/platform'
import { cngnAdminRouter } from './admin-router.ts'
import { advance } from './advance.ts'
import { anonymise } from './anonymise.ts'
import { callbacks } from './callbacks.ts'
import { countedTransfers } from './counters.ts'
import { encryptedIdentities } from './enablement.ts'
import { entities } from './entity.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import { enablementFailures, failures } from './failure-reasons.ts'
import { compareTreasury, expireIdentities, verifyIdentity } from './jobs.ts'
import { metrics } from './metrics.ts'
import { migrations } from './migrations.ts'
import { notifications } from './notifications.ts'
import { operators } from './operators.ts'
import { tasks } from './poller.ts'
import {
  cngnProvider,
  convertOutProvider,
  customerAccountsProvider,
  type IdentityProvider,
  identityProvider,
  type SandboxCngn,
} from './provider.ts'
import { receipts } from './receipt.ts'
import { enablementResource, transferResources } from './resources.ts'
import { cngnRouter } from './router.ts'
import { sandboxCngn } from './sandbox.ts'
import { sandboxIdentity } from './sandbox-identity.ts'
import { sandboxRouter } from './sandbox-router.ts'
import { cngnSettings } from './settings.ts'
import { TAG } from './transfer-router.ts'

const CALLS = [
  'banks',
  'accountName',
  'openPayin',
  'send',
  'transactions',
  'movement',
  'treasury',
  'virtualAccount',
  'depositAddress',
  'convertAddress',
  'quote',
  'report',
] as const satisfies (keyof SandboxCngn)[]

export const cngn = domain({
  name: 'cngn',
  tags: [{ name: TAG, description: 'The naira stablecoin: accounts of customers, and money in and out', position: 70 }],
  router: { cngn: cngnRouter, sandbox: sandboxRouter, admin: { cngn: cngnAdminRouter } },
  entities,
  resources: [...Object.values(transferResources), enablementResource],
  migrations,
  operators,
  errors,
  events,
  settings: cngnSettings,
  providers: [
    {
      port: cngnProvider,
      sandbox: 'cngn',
      create({ pool }) {
        const sandbox = withFaults<SandboxCngn>(
          pool,
          'cngn',
          sandboxCngn(pool),
          CALLS,
          errors.cngn_provider_unavailable,
        )
        return [
          bind(cngnProvider, 'test', sandbox),
          bind(customerAccountsProvider, 'test', sandbox),
          bind(convertOutProvider, 'test', sandbox),
        ]
      },
    },
    {
      port: identityProvider,
      sandbox: 'identity',
      create: ({ pool }) => [
        bind(
          identityProvider,
          'test',
          withFaults<IdentityProvider>(pool, 'identity', sandboxIdentity, ['verifyBvn'], errors.identity_unavailable),
        ),
      ],
    },
  ],
  callbacks,
  notifications,
  failureReasons: {
    'cNGN enablement': enablementFailures,
    'cNGN converts': failures.convert,
    'cNGN withdrawals': failures.withdrawal,
    'cNGN payouts': failures.payout,
    'cNGN payins': failures.payin,
    'cNGN deposits': failures.deposit,
  },
  receipts,
  jobs: [verifyIdentity, expireIdentities, compareTreasury],
  tasks,
  metrics,
  anonymise,
  sandbox: { advance },
  encrypted: encryptedIdentities,
  counted: { cngn_transfers: countedTransfers },
  appendOnly: ['cngn_transfer_counts', 'cngn_treasury_adjustments'],
})

export { errors as cngnErrors } from './errors.ts'
export { cngnNetworks } from './networks.ts'
export {
  type Bank,
  type CallBudget,
  type CngnProvider,
  type ConvertOutProvider,
  type ConvertReport,
  type CustomerAccountsProvider,
  cngnProvider,
  convertOutProvider,
  customerAccountsProvider,
  type IdentityAnswer,
  type IdentityProvider,
  identityProvider,
  type Movements,
  type Order,
  type ProviderTransaction,
  type SendResult,
  type UnreadableRecord,
} from './provider.ts'
