import { newId } from '@payments/kernel'
import {
  call,
  depositFor,
  enabledCustomer,
  fund,
  type Merchant,
  newCngn,
  newCollection,
  newOfframp,
  newRoute,
  newSwap,
  pay,
  signedIn,
  startSession,
  suspenseOf,
  sync,
  type TestService,
} from '#testing'

/** Where an operators' command is called, with what, and by whom. */
interface Arranged {
  readonly path: string
  readonly body: object
  readonly token?: string
}

const reason = 'Asked for'

/** What must be there before a command of operators can succeed, by method and path. */
export function arrangements(
  service: TestService,
  { organisationId, ...merchant }: Merchant,
  token: string,
): Record<string, () => Promise<Arranged>> {
  const { runtime } = service
  const post = async (path: string, body: object) => {
    const answer = await call(service, `POST /v1/admin/ops/${path}`, { token, key: null, body: { reason, ...body } })
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
    return answer.body.data
  }
  const suspense = { organisationId, environment: 'test', asset: 'USDC', amount: '1', to: 'fees' }
  const command = 'admin.ledger.resolveSuspense'
  const approval = async (): Promise<string> => {
    await suspenseOf(runtime, organisationId, 2_000_000n)
    return (await post('approvals', { command, input: suspense })).id
  }
  const moved = { path: '/v1/admin/ops/ledger/suspense/resolve', body: { ...suspense, reason } }
  return {
    'POST /admin/ops/ledger/suspense/resolve': async () => {
      await suspenseOf(runtime, organisationId, 2_000_000n)
      return moved
    },
    'POST /admin/ops/ledger/entries/reverse': async () => {
      await suspenseOf(runtime, organisationId, 2_000_000n)
      await post('ledger/suspense/resolve', suspense)
      const { rows } = await runtime.pool.query(
        "select id from ledger_entries where organisation_id = $1 and source_type = 'correction'",
        [organisationId],
      )
      const body = { organisationId, environment: 'test', entryId: rows[0].id, reason }
      return { path: '/v1/admin/ops/ledger/entries/reverse', body }
    },
    'POST /admin/ops/approvals': async () => {
      await suspenseOf(runtime, organisationId, 2_000_000n)
      return { path: '/v1/admin/ops/approvals', body: { command, input: suspense, reason } }
    },
    'POST /admin/ops/approvals/{approvalId}/approve': async () => {
      const id = await approval()
      const { accessToken } = await signedIn(runtime, { role: 'operator', email: 'second@example.com' })
      return { path: `/v1/admin/ops/approvals/${id}/approve`, body: { reason }, token: accessToken }
    },
    'POST /admin/ops/approvals/{approvalId}/decline': async () => ({
      path: `/v1/admin/ops/approvals/${await approval()}/decline`,
      body: { reason },
    }),
    'POST /admin/ops/dry-runs': async () => {
      const { id } = await newRoute({ organisationId, ...merchant })
      const input = { paymentRouteId: id, reason }
      return { path: '/v1/admin/ops/dry-runs', body: { command: 'admin.paymentRoutes.pause', input } }
    },
    'PATCH /admin/ops/providers/{provider}': async () => ({
      path: '/v1/admin/ops/providers/sandbox',
      body: { environment: 'test', state: 'active', reason },
    }),
    'POST /admin/ops/fiat/orders/{orderId}/settle': async () => {
      const { id } = await newOfframp({ organisationId, ...merchant })
      await fund({ organisationId, ...merchant }, 'offramp', id)
      await runtime.pool.query('update sandbox_fiat_orders set received_at = now() where reference = $1', [id])
      await post(`fiat/orders/${id}/sync`, {})
      return { path: `/v1/admin/ops/fiat/orders/${id}/settle`, body: { outcome: 'delivered', reason } }
    },
    'POST /admin/ops/payment-routes/deposits/{depositId}/settle': async () => {
      const own = { organisationId, ...merchant }
      const { id } = await newRoute(own)
      await pay(own, id, '5')
      await sync(own, id)
      const [deposit] = (await own.call(`GET /v1/payment-routes/${id}/deposits`)).body.data.deposits
      const body = { outcome: 'refunded', evidence: 'Ticket 1', reason }
      return { path: `/v1/admin/ops/payment-routes/deposits/${deposit.id}/settle`, body }
    },
    'POST /admin/ops/payment-routes/{paymentRouteId}/deposits/settle': async () => {
      const { id } = await newRoute({ organisationId, ...merchant })
      const money = { amount: '4.9', receivedAmount: '5', txHash: `0x${'4'.repeat(64)}` }
      const body = { outcome: 'completed', ...money, evidence: 'Ticket 1', reason }
      return { path: `/v1/admin/ops/payment-routes/${id}/deposits/settle`, body }
    },
    'POST /admin/ops/checkout-sessions/{sessionId}/settle': async () => {
      const own = { organisationId, ...merchant }
      const { id } = await startSession(service, (await newCollection(own)).id)
      const body = { outcome: 'expired', evidence: 'Ticket 1', reason }
      return { path: `/v1/admin/ops/checkout-sessions/${id}/settle`, body }
    },
    'POST /admin/ops/cngn/transfers/{transferId}/settle': async () => {
      const customerId = await enabledCustomer(runtime, organisationId)
      const { id } = await newCngn({ organisationId, ...merchant }, 'payins', customerId)
      const body = { outcome: 'failed', evidence: 'Ticket 1', reason }
      return { path: `/v1/admin/ops/cngn/transfers/${id}/settle`, body }
    },
    'POST /admin/ops/cngn/transfers/{transferId}/release': async () => {
      const customerId = await enabledCustomer(runtime, organisationId, 1_000_000_000n)
      const { id } = await newCngn({ organisationId, ...merchant }, 'payouts', customerId)
      // As a worker does after the organisation was suspended.
      await runtime.pool.query(
        "update cngn_sends set status = 'held', error = 'organisation_suspended' where id = $1",
        [id],
      )
      return { path: `/v1/admin/ops/cngn/transfers/${id}/release`, body: { reason } }
    },
    'POST /admin/ops/cngn/treasury/book': async () => {
      await runtime.pool.query(
        `insert into cngn_treasuries (environment, balance, journal, leaving, arriving, difference, differs_since, checked_at)
         values ('live', 1000000, 0, 0, 0, 1000000, now(), now())`,
      )
      const body = { environment: 'live', amount: '1', evidence: 'Ticket 1', reason }
      return { path: '/v1/admin/ops/cngn/treasury/book', body }
    },
    'POST /admin/ops/swaps/{swapId}/settle': async () => {
      const own = { organisationId, ...merchant }
      const { id } = await newSwap(own)
      await own.call(`POST /v1/swaps/${id}/cancel`)
      // Too little to be sent back by itself.
      await depositFor(own, id, { amount: '0.05' })
      await post(`swaps/${id}/process`, {})
      return { path: `/v1/admin/ops/swaps/${id}/settle`, body: { outcome: 'returned', txHash: newId(), reason } }
    },
    'POST /admin/ops/swaps/{swapId}/release': async () => {
      const { id } = await newSwap({ organisationId, ...merchant })
      // As a worker does after the organisation was suspended.
      await runtime.pool.query('update swaps set held_at = now() where id = $1', [id])
      return { path: `/v1/admin/ops/swaps/${id}/release`, body: { outcome: 'send', reason } }
    },
    'POST /admin/ops/organisations/{organisationId}/sessions/{sessionId}/end': async () => {
      await signedIn(runtime, { organisationId, role: 'member' })
      const { rows } = await runtime.pool.query('select id from sessions where organisation_id = $1', [organisationId])
      return { path: `/v1/admin/ops/organisations/${organisationId}/sessions/${rows[0].id}/end`, body: { reason } }
    },
    'POST /admin/ops/organisations/{organisationId}/api-keys/{apiKeyId}/revoke': async () => {
      const { rows } = await runtime.pool.query('select id from api_keys where organisation_id = $1', [organisationId])
      return { path: `/v1/admin/ops/organisations/${organisationId}/api-keys/${rows[0].id}/revoke`, body: { reason } }
    },
    'POST /admin/ops/internal-tokens/{internalTokenId}/revoke': async () => {
      const made = { name: 'Report', expiresInDays: 1, procedures: ['admin.swaps.list'] }
      const { id } = await post('internal-tokens', made)
      return { path: `/v1/admin/ops/internal-tokens/${id}/revoke`, body: { reason } }
    },
    'POST /admin/ops/webhooks/deliveries/{deliveryId}/read': async () => {
      const own = { organisationId, ...merchant }
      const url = 'https://merchant.example/hooks'
      const { id } = (await own.call('POST /v1/webhooks', { body: { url } })).body.data
      const sent = await own.call(`POST /v1/webhooks/${id}/test`)
      return { path: `/v1/admin/ops/webhooks/deliveries/${sent.body.data.id}/read`, body: { reason } }
    },
    'POST /admin/ops/attention/resolve': async () => {
      const id = newId()
      await runtime.pool.query(
        `insert into events (id, organisation_id, environment, type, resource_id, payload, created_at, drained_at, set_aside_reason)
         values ($1, $2, 'test', 'payment_route.created', $1, '{}', now(), now(), 'It could not be fanned out')`,
        [id, organisationId],
      )
      return { path: '/v1/admin/ops/attention/resolve', body: { kind: 'event', id, reason } }
    },
    'POST /admin/ops/attention/{id}/close': async () => {
      const id = newId()
      await runtime.pool.query(
        `insert into provider_prices (id, environment, pair, provider, refused_rate, refused_reason, refused_at)
         values ($1, 'test', 'ETH>USDC', 'sandbox', 1, 'sandbox: A price of zero', now())`,
        [id],
      )
      return { path: `/v1/admin/ops/attention/${id}/close`, body: { reason } }
    },
    'POST /admin/ops/queues/dead-letters/{jobId}/retry': async () => {
      const id = newId()
      await runtime.pool.query(
        `insert into pgboss.job (id, name, data, source_name, source_id, source_created_on)
         values ($1, 'dead-letter', '{}', 'accounts.purge', $1, now())`,
        [id],
      )
      return { path: `/v1/admin/ops/queues/dead-letters/${id}/retry`, body: { reason } }
    },
  }
}
