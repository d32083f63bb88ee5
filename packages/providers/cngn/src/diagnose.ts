import { type CallBudget, cngnNetworks } from '@payments/cngn'
import { assets, toDecimal } from '@payments/kernel'
import { type Diagnosis, pauseCalls, type SqlExecutor, takeCall } from '@payments/platform'
import { ProviderError, probe } from '@payments/provider-http'
import { type CngnOptions, cngnClient } from './client.ts'
import { failed } from './errors.ts'
import { cngnOf, movementOf } from './transactions.ts'
import { AccountHolder, Balances, Banks, Networks, Transactions } from './wire.ts'

/** An account that no bank has: the check of its name costs nothing. */
const NO_ACCOUNT = '0000000000'

/**
 * Asks the cNGN API for the balance, its banks and networks, the name of an account that does not exist (an encrypted request), and the
 * newest movement. Five calls of the limit that all processes share.
 */
export async function diagnoseCngn(options: CngnOptions, pool: SqlExecutor | undefined): Promise<readonly Diagnosis[]> {
  const client = cngnClient(options)
  const budget = budgetOf(options.requestsPerMinute, pool)
  const address = 'Compare CNGN_BASE_URL with the documents of cNGN, and ask its support'
  const balance = await probe(
    'cngn: key, address and answers',
    async () => {
      const balances = await client.get('/balance', budget, Balances)
      const own = balances.find(({ asset_code }) => asset_code.toUpperCase() === 'CNGN')
      if (!own) return { status: 'failed', message: 'The account has no balance of cNGN', action: address }
      return `The key is accepted from this address and answers can be read; the treasury has ${toDecimal(cngnOf(own.balance), assets.cNGN)} cNGN`
    },
    'Compare CNGN_API_KEY and CNGN_PRIVATE_KEY with the dashboard of cNGN',
  )
  if (balance.status === 'failed')
    return [
      balance,
      ...['encryption of requests', 'networks', 'movements', 'callbacks'].map(
        (name): Diagnosis => ({
          check: `cngn: ${name}`,
          status: 'skipped',
          message: 'The first call failed',
        }),
      ),
    ]
  return [
    balance,
    await probe(
      'cngn: encryption of requests',
      async () => {
        const [bank] = await client.get('/banks', budget, Banks)
        if (!bank) return { status: 'failed', message: 'The API lists no bank', action: address }
        try {
          await client.post(
            '/account/verify',
            { accountNumber: NO_ACCOUNT, bankCode: bank.code },
            budget,
            AccountHolder,
          )
        } catch (error) {
          // It was read, and the account was looked for.
          if (!(error instanceof ProviderError && error.kind === 'rejected')) throw error
        }
        return 'A request is decrypted with the key of the dashboard'
      },
      'Compare CNGN_ENCRYPTION_KEY with the dashboard of cNGN, and the permissions of the key',
    ),
    await probe(
      'cngn: networks',
      async () => {
        const known = (await client.get('/networks', budget, Networks)).filter(({ isDisabled }) => !isDisabled)
        const names = known.map(({ name }) => name)
        if (names.length === 0) return { status: 'failed', message: 'The API lists no network', action: address }
        return `Withdrawals over ${names.join(', ')}; this service knows ${cngnNetworks.map(({ networkKey }) => networkKey).join(', ')}`
      },
      address,
    ),
    await probe(
      'cngn: movements',
      async () => {
        const { data } = await client.get('/transactions?page=1&limit=10', budget, Transactions)
        const odd = data.filter((element) => 'unreadable' in movementOf(element)).length
        if (odd === 0) return `The newest ${data.length} movements can be read`
        return {
          status: 'failed',
          message: `${odd} of the newest ${data.length} movements cannot be read`,
          action: 'Do not go live with cNGN: send them to the maintainers',
        }
      },
      address,
    ),
    await probe('cngn: callbacks', async () =>
      options.webhookSecret
        ? 'CNGN_WEBHOOK_SECRET is set'
        : {
            status: 'warning',
            message:
              'CNGN_WEBHOOK_SECRET is not set: callbacks are refused, and changes are seen by the next poll only',
            action: 'Enter <BASE_URL>/v1/callbacks/cngn in the dashboard of cNGN and set CNGN_WEBHOOK_SECRET',
          },
    ),
  ]
}

/** The calls that all processes share. Without the database, none is counted. */
const budgetOf = (perMinute: number, pool: SqlExecutor | undefined): CallBudget => {
  const own = { provider: 'cngn', environment: 'live', bucket: 'calls' } as const
  return {
    async take() {
      const wait = pool ? await takeCall(pool, { ...own, perMinute, purpose: 'in_flight', shares: [] }) : 0
      if (wait > 0) throw failed('limited', `No call is free for ${wait} s: try again then`)
    },
    silence: async (seconds) => void (pool && (await pauseCalls(pool, { ...own, seconds }))),
  }
}
