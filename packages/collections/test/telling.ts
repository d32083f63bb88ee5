import { newId } from '@payments/kernel'
import { type DepositReport, type QuotedAddress, routes, type SandboxRoutes } from '@payments/routes'
import {
  advance,
  call,
  newCollection,
  newMerchant,
  paySession,
  signedIn,
  startSession,
  type TestService,
} from '#testing'
import { applyDue } from '../src/collections/expiry.ts'
import { eventsOf, getSession, poll, settle } from './sessions.ts'

export const PAYER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'
export const usdc = { networkKey: 'ethereum', currency: 'USDC' }

/** A sandbox that reports for an address what a test has set, in place of what the sandbox would. */
export function tellingSandbox(service: () => TestService) {
  const told = new Map<string, readonly DepositReport[]>()
  let honest: SandboxRoutes | undefined
  const sandbox = (): SandboxRoutes => {
    const { runtime } = service()
    honest ??= routes.providers?.[0]?.create({ ...runtime, db: runtime.pool })[0]?.provider as SandboxRoutes
    return honest
  }
  const provider: SandboxRoutes = {
    name: 'sandbox',
    capabilities: { reusableAddresses: true },
    callsPerMinute: 60_000,
    get refundAddresses() {
      return sandbox().refundAddresses ?? { evm: '', svm: '', tvm: '' }
    },
    offers: () => sandbox().offers(),
    createDepositAddress: async (input) => ({ ...(await sandbox().createDepositAddress(input)), ...telling.quotes }),
    simulateDeposit: (...given: Parameters<SandboxRoutes['simulateDeposit']>) => sandbox().simulateDeposit(...given),
    async deposits(query) {
      const reports = told.get(query.depositAddress)
      return reports ? { reports, calls: 1 } : sandbox().deposits(query)
    },
  }
  const report = (given: Partial<DepositReport> = {}): DepositReport => ({
    requestId: newId(),
    status: 'pending',
    origin: usdc,
    originAmount: 25_000_000n,
    originAmountUsd: null,
    destinationAmount: given.status === 'completed' ? (given.originAmount ?? 25_000_000n) : null,
    destinationAmountUsd: null,
    depositTxHash: newId(),
    failureReason: given.status === 'failed' ? 'delivery_failed' : null,
    providerReason: null,
    updatedAt: new Date(),
    ...given,
  })
  /** A session of a collection, and what may happen to it. */
  async function sessionOf(
    merchant: Awaited<ReturnType<typeof newMerchant>>,
    collection: { readonly id: string },
    start: Record<string, unknown> = {},
  ) {
    const session = await startSession(service(), collection.id, start)
    return {
      merchant,
      collection,
      session,
      report,
      shown: () => getSession(merchant, session.id),
      parent: () => getSession(merchant, collection.id),
      /** The provider tells these from now on. */
      async tell(...reports: DepositReport[]) {
        told.set(session.depositAddress, reports)
        await poll(service(), merchant)
        return getSession(merchant, session.id)
      },
      async pay(payment: Parameters<typeof paySession>[2] = {}) {
        await paySession(merchant, session.id, payment)
        await settle(service(), merchant)
        return getSession(merchant, session.id)
      },
      async wait(minutes: number) {
        await advance(merchant, minutes * 60)
        await applyDue(service().runtime, new AbortController().signal)
      },
      changes: async () =>
        (await eventsOf(service(), merchant)).filter((change) => change.startsWith('session')).slice(1),
      /** An operator records the outcome of its payment. */
      settle: (outcome: string, given: Record<string, unknown> = {}) =>
        operatorCall(service(), `POST /v1/admin/ops/checkout-sessions/${session.id}/settle`, {
          outcome,
          evidence: 'Ticket 1',
          reason: 'Seen on chain',
          ...given,
        }),
    }
  }
  const telling = {
    provider,
    /** What quotes say in place of what the sandbox would. */
    quotes: {} as Partial<QuotedAddress>,
    sessionOf,
    async begin(given: Record<string, unknown> = {}, start: Record<string, unknown> = {}) {
      const merchant = await newMerchant(service())
      return sessionOf(merchant, await newCollection(merchant, given), start)
    },
  }
  return telling
}

export async function operatorCall(service: TestService, line: string, body?: object) {
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator', email: 'operator@example.com' })
  return call(service, line, { token, key: null, body })
}

/** What needs an operator of an organisation. */
export async function attention(
  service: TestService,
  organisationId: string,
): Promise<{ id: string; kind: string; condition: string; reason: string }[]> {
  return (await operatorCall(service, 'POST /v1/admin/ops/attention', { organisationId })).body.data.objects
}

export const notices = async (merchant: {
  call(line: string): Promise<{ body: { data: { notifications: { title: string; body: string }[] } } }>
}) => (await merchant.call('GET /v1/notifications')).body.data.notifications
