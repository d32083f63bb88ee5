import {
  type Bank,
  type CallBudget,
  type CngnProvider,
  cngnErrors,
  type Movements,
  type Order,
  type ProviderTransaction,
  type SendResult,
  type UnreadableRecord,
} from '@payments/cngn'
import { assets, ServiceError, toDecimal } from '@payments/kernel'
import { credentialsFingerprint } from '@payments/platform'
import { ProviderError } from '@payments/provider-http'
import { LRUCache } from 'lru-cache'
import { isAuthentic } from './callback.ts'
import { type CngnClient, type CngnOptions, cngnClient } from './client.ts'
import { failed, mapErrors } from './errors.ts'
import { cngnOf, movementOf } from './transactions.ts'
import {
  AccountHolder,
  Balances,
  Banks,
  Networks,
  OneTransaction,
  Sent,
  TemporaryAccount,
  Transactions,
} from './wire.ts'

const PAGE = 100
/** Pages that one poll reads at most: it must not take the calls of everything else. */
const PAGES = 15
const HOURS_MS = 6 * 3_600_000
const RETRY_SECONDS = 60
/** A reference that the API does not know (api-reference/verify-withdrawal). */
const NOT_FOUND = 'Transaction not found'

/** The names that the API has for our networks. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  base: ['base'],
  ethereum: ['ethereum', 'eth', 'erc20'],
  polygon: ['polygon', 'matic', 'pol'],
  solana: ['solana', 'sol'],
}

const naira = (amount: bigint): number => Number(toDecimal(amount, assets.cNGN))

/**
 * cNGN over the merchant API. It knows one account, the merchant's, and no references of its callers: an order is found again by its
 * amount, destination and time in the list of transactions.
 */
export function cngnMerchant(options: CngnOptions): CngnProvider {
  const client = cngnClient(options)
  const cached = <T extends object>(fetch: (budget: CallBudget) => Promise<T>) => {
    const cache = new LRUCache<'value', T, CallBudget>({
      max: 1,
      ttl: HOURS_MS,
      allowStale: true,
      noDeleteOnFetchRejection: true,
      fetchMethod: (_key, _stale, { context }) => fetch(context),
    })
    return (budget: CallBudget) => cache.forceFetch('value', { context: budget })
  }
  const banks = cached<readonly Bank[]>((budget) => client.get('/banks', budget, Banks))
  const networks = cached((budget) => client.get('/networks', budget, Networks))

  return {
    name: 'cngn',
    credentials: credentialsFingerprint('cngn', options.apiKey),
    callsPerMinute: options.requestsPerMinute,
    pollSeconds: options.pollSeconds ?? { soonest: 15, longest: 60 },
    certainAfterSeconds: options.certainAfterSeconds ?? 300,
    listsApartSeconds: options.listsApartSeconds ?? 120,
    knowsOrders: false,
    graceSeconds: 900,
    account: () => 'merchant',
    banks: (budget) => mapErrors(() => banks(budget)),
    accountName: (account, budget) =>
      mapErrors(async () => {
        try {
          return await client.post('/account/verify', account, budget, AccountHolder)
        } catch (error) {
          if (error instanceof ProviderError && error.code === 'account') return null
          throw error
        }
      }),
    openPayin: ({ reference, amount, email, name }, budget) =>
      mapErrors(async () => {
        const body = { amount: naira(amount), customer: { email, name }, narration: reference }
        const opened = await client.post('/virtual-account/temporary', body, budget, TemporaryAccount)
        const { accountNumber, accountName, bankName, bankCode, expiresAt } = opened
        return {
          account: { accountNumber, accountName, bankName, bankCode: bankCode ?? '' },
          payable: opened.amountExpected === null ? amount : cngnOf(opened.amountExpected),
          providerReference: opened.reference,
          expiresAt,
        }
      }),
    send: (order, budget) => mapErrors(() => send(client, networks, order, budget)),
    transactions: (_account, since, budget) => mapErrors(() => list(client, since, budget)),
    movement: (_account, reference, budget, channel) => mapErrors(() => one(client, reference, budget, channel)),
    treasury: (budget) =>
      mapErrors(async () => {
        const balances = await client.get('/balance', budget, Balances)
        const own = balances.find(({ asset_code }) => asset_code.toUpperCase() === 'CNGN')
        if (!own) throw failed('unreadable', 'No balance of cNGN')
        return cngnOf(own.balance)
      }),
    callback: (request) => isAuthentic(options.webhookSecret, request),
  }
}

/**
 * Sends an order. Only the documented answers say its outcome: that the API has not looked at it, or that it refuses it. Whatever
 * else it answers is thrown, because the order may have been sent.
 */
async function send(
  client: CngnClient,
  networks: (
    budget: CallBudget,
  ) => Promise<{ id: string; name: string; short_name: string | null; isDisabled: boolean | null }[]>,
  { id, amount, destination }: Order,
  budget: CallBudget,
): Promise<SendResult> {
  const bank = destination.type === 'bank'
  let networkId: string | undefined
  if (!bank) {
    const known = await before(() => networks(budget))
    if ('status' in known) return known
    networkId = known.found.find(
      (network) =>
        !network.isDisabled &&
        [network.name, network.short_name ?? ''].some((name) =>
          NAMES[destination.networkKey]?.includes(name.toLowerCase()),
        ),
    )?.id
    if (!networkId) return { status: 'rejected', reason: 'withdrawal_failed', called: false }
  }
  try {
    const body = bank
      ? { amount: naira(amount), bankCode: destination.bankCode, accountNumber: destination.accountNumber }
      : { amount: naira(amount), address: destination.address, networkId }
    const { trxRef } = await client.post(bank ? '/redeemAsset' : '/withdraw', body, budget, Sent, id)
    return { status: 'accepted', reference: trxRef }
  } catch (error) {
    // No call was free: none was made.
    if (error instanceof ServiceError && error.code === cngnErrors.cngn_provider_busy.code)
      return { status: 'not_sent', called: false, retryAfter: error.retryAfter ?? RETRY_SECONDS }
    if (!(error instanceof ProviderError)) throw error
    switch (error.code) {
      case 'not_initiated':
        return notSent(error, true)
      case 'account':
        return { status: 'rejected', reason: 'invalid_account_number', called: true }
      case 'field':
        return { status: 'rejected', reason: bank ? 'payout_failed' : 'withdrawal_failed', called: true }
      default:
        // Too many calls, in other words than the documented ones, say as little as any other error.
        throw error.kind === 'limited' ? cngnErrors.cngn_provider_unavailable({ cause: error }) : error
    }
  }
}

const notSent = ({ message }: ProviderError, called: boolean): SendResult => ({
  status: 'not_sent',
  called,
  retryAfter: RETRY_SECONDS,
  because: message,
})

/** A call before the one that sends: whatever becomes of it, nothing was sent. */
async function before<T>(call: () => Promise<T>): Promise<{ readonly found: T } | SendResult> {
  try {
    return { found: await call() }
  } catch (error) {
    if (error instanceof ProviderError) return notSent(error, false)
    throw error
  }
}

/**
 * One transaction by its reference. The API verifies withdrawals at a path of their own; redemptions and deposits are read as
 * transactions only. Without a channel both are asked. An answer that cannot be read says nothing.
 */
async function one(
  client: CngnClient,
  reference: string,
  budget: CallBudget,
  channel: ProviderTransaction['channel'] | undefined,
): Promise<ProviderTransaction | null> {
  const paths =
    channel === 'withdrawal'
      ? ['/withdraw/verify/']
      : channel
        ? ['/transactions/']
        : ['/transactions/', '/withdraw/verify/']
  for (const path of paths) {
    try {
      const read = movementOf(await client.get(`${path}${encodeURIComponent(reference)}`, budget, OneTransaction))
      // The answer of another transaction says nothing about this one.
      if ('movement' in read && read.movement.reference === reference) return read.movement
      return null
    } catch (error) {
      if (!(error instanceof ProviderError && error.kind === 'rejected' && error.body === NOT_FOUND)) throw error
    }
  }
  return null
}

/**
 * The list of transactions back to a time; the newest pages of it, if it is longer. New elements move others to the next page, so
 * one may be listed twice: it is returned as it was read last.
 */
async function list(client: CngnClient, since: Date, budget: CallBudget): Promise<Movements> {
  const movements = new Map<string, ProviderTransaction>()
  const unreadable: UnreadableRecord[] = []
  const result = (complete: boolean): Movements => ({ movements: [...movements.values()], unreadable, complete })
  for (let page = 1; page <= PAGES; page++) {
    const { data, pagination } = await client.get(`/transactions?page=${page}&limit=${PAGE}`, budget, Transactions)
    let dated = 0
    let older = 0
    for (const element of data) {
      const read = movementOf(element)
      const at = 'movement' in read ? read.movement.at : 'unreadable' in read ? read.unreadable.at : null
      if (at) dated++
      if (at && at < since) older++
      else if ('movement' in read) movements.set(read.movement.reference, read.movement)
      else if ('unreadable' in read) unreadable.push(read.unreadable)
    }
    const last =
      data.length === 0 || (pagination?.isLastPage ?? (pagination ? !pagination.nextPage : data.length < PAGE))
    if ((dated > 0 && older === dated) || last) return result(true)
  }
  return result(false)
}
