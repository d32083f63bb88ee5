/** cNGN, the naira stablecoin: enablement of customers, their balance, and its five kinds of movements. */
// Order, lowest first: errors, failure-reasons, states, kinds, schemas, events, provider, entity, receipt,
// notifications, admin-schemas, money, resources, customers, movements, transfers, operators, api, migrations.
import { bind } from '@payments/kernel'
import { domain, withFaults } from '@payments/platform'
import { cngnAdminRouter } from './api/admin-router.ts'
import { approvalRouter } from './api/approval-router.ts'
import { callbacks } from './api/callbacks.ts'
import { cngnRouter } from './api/router.ts'
import { sandboxRouter } from './api/sandbox-router.ts'
import { TAG } from './api/transfer-router.ts'
import { anonymise } from './customers/anonymise.ts'
import { encryptedIdentities } from './customers/enablement.ts'
import { entities, TransferEntity, type TransferRow } from './entity.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import { enablementFailures, failures } from './failure-reasons.ts'
import type { Kind } from './kinds/kinds.ts'
import { migrations } from './migrations.ts'
import { tasks } from './movements/poller.ts'
import { notifications, notificationTypes } from './notifications.ts'
import { cngnPurge, compareTreasury, expireIdentities, verifyIdentity } from './operators/jobs.ts'
import { metrics } from './operators/metrics.ts'
import { moves } from './operators/moves.ts'
import { operators } from './operators/operators.ts'
import { restore } from './operators/restore.ts'
import { advance } from './provider/advance.ts'
import { treasuryAddresses } from './provider/holder.ts'
import {
  cngnProvider,
  convertOutProvider,
  customerAccountsProvider,
  type IdentityProvider,
  identityProvider,
  type SandboxCngn,
} from './provider/provider.ts'
import { sandboxCngn } from './provider/sandbox.ts'
import { sandboxIdentity } from './provider/sandbox-identity.ts'
import { cngnSettings } from './provider/settings.ts'
import { receipts } from './receipt.ts'
import { presenters } from './resources/present.ts'
import { enablementResource, transferResources } from './resources/resources.ts'
import { advanceApprovals, expireApprovals } from './transfers/approvals.ts'
import { countedTransfers } from './transfers/counters.ts'

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
  settings: cngnSettings,
  providers: [
    {
      port: cngnProvider,
      sandbox: 'cngn',
      create({ db, lookups }) {
        const sandbox = withFaults<SandboxCngn>(
          lookups,
          'cngn',
          sandboxCngn(db),
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
      create: ({ lookups }) => [
        bind(
          identityProvider,
          'test',
          withFaults<IdentityProvider>(
            lookups,
            'identity',
            sandboxIdentity,
            ['verifyBvn'],
            errors.identity_unavailable,
          ),
        ),
      ],
    },
  ],
  api: {
    tags: [
      { name: TAG, description: 'The naira stablecoin: accounts of customers, and money in and out', position: 70 },
    ],
    router: {
      ...{ cngn: cngnRouter, payoutApprovals: approvalRouter },
      ...{ sandbox: sandboxRouter, admin: { cngn: cngnAdminRouter } },
    },
    callbacks,
    errors,
    events,
    sandbox: {
      async advance(unit, seconds) {
        await advance(unit, seconds)
        await advanceApprovals(unit, seconds)
      },
    },
  },
  data: {
    entities,
    resources: [...Object.values(transferResources), enablementResource],
    migrations,
    counted: { cngn_transfers: countedTransfers },
    appendOnly: ['cngn_treasury_adjustments'],
    encrypted: encryptedIdentities,
    moves,
    anonymise,
    restore,
  },
  money: {
    receipts,
    failureReasons: {
      'cNGN enablement': enablementFailures,
      'cNGN converts': failures.convert,
      'cNGN withdrawals': failures.withdrawal,
      'cNGN payouts': failures.payout,
      'cNGN payins': failures.payin,
      'cNGN deposits': failures.deposit,
    },
    ownAddresses: [
      {
        what: 'a deposit address of this service',
        from: 'cngn_transfers',
        by: 'receive_at',
        where: "kind in ('convert', 'deposit') and environment in ('test', 'live')",
      },
      { what: 'the cNGN treasury of this service', known: treasuryAddresses },
    ],
  },
  work: {
    jobs: [verifyIdentity, expireApprovals, expireIdentities, compareTreasury, cngnPurge],
    tasks,
    notifications,
    notificationTypes,
  },
  operators: {
    ...operators,
    metrics,
    objects: [
      {
        ...{ kind: 'cngn_transfer', parameter: 'transferId', table: 'cngn_transfers', entity: TransferEntity },
        present: (row: TransferRow) => presenters[row.kind as Kind](row),
      },
    ],
  },
})

export { cngnNetworks } from './customers/networks.ts'
export { errors as cngnErrors } from './errors.ts'
export { customer } from './kinds/customer.ts'
export { PAYIN_REFERENCE } from './kinds/kinds.ts'
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
} from './provider/provider.ts'
