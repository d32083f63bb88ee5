import { setTimeout as sleep } from 'node:timers/promises'
import { everyDomain, type Process } from '@payments/api'
import { type Actor, newId, system } from '@payments/kernel'
import { BANK_ACCOUNT, enabledCustomer, foundOrganisation, START_SESSION, samples, WALLETS } from '@payments/stand'
import { Client } from 'pg'
import { multiply } from './multiply.ts'

const CNGN = '900000000'

/** Tables that grow with the business, of one organisation. */
const TABLES = [
  'customers',
  'payment_routes',
  'payment_route_addresses',
  'payment_route_polls',
  'payment_route_deposits',
  'payment_route_requests',
  'transactions',
  'ledger_entries',
  'ledger_postings',
  'events',
  'webhook_deliveries',
  'offramps',
  'onramps',
  'swaps',
  'swap_polls',
  'collections',
  'checkout_sessions',
  'cngn_transfers',
  'notifications',
  'request_log',
  'provider_calls',
  'audit_log',
]

/** So that most is finished and nothing is due, as in a business that has run for long: tasks look for work among all copies. */
const FINISHED = [
  'update events set drained_at = coalesce(drained_at, now())',
  "update payment_route_deposits set status = 'completed'",
  "update offramps set status = 'delivered', received_amount = amount",
  "update onramps set status = 'delivered', received_amount = amount",
  "update swaps set status = 'cancelled'",
  "update swap_polls set next_poll_at = now() + interval '1 day'",
  "update checkout_sessions set status = 'expired'",
  "update cngn_transfers set status = 'completed', due_at = null",
  "update payment_route_polls set next_poll_at = now() + interval '1 day'",
  'update notifications set email_due = false where email_due',
]

/** An organisation's actor, and its customer with cNGN. */
export interface Seeded {
  readonly actor: Actor
  readonly cngnCustomerId: string
}

/** An organisation with one object of every kind, made by the service itself, and copies of it. */
export async function seed(process: Process, ownerUrl: string, size: number): Promise<Seeded> {
  const { createCaller, runtime } = process
  const organisationId = await foundOrganisation(runtime)
  const actor = system(organisationId, 'test')
  const caller = createCaller(actor)
  await caller.customers.create(samples.customer.body({ email: 'ada@example.com' }))
  await caller.webhooks.create({ url: 'https://merchant.example/hooks' })
  const route = await caller.paymentRoutes.create(samples.route.body())
  await caller.sandbox.paymentRoutes.deposit({ paymentRouteId: route.id, amount: '5' })
  await caller.paymentRoutes.syncDeposits({ paymentRouteId: route.id })
  await caller.offramps.create(samples.offramp.body())
  await caller.onramps.create(samples.onramp.body())
  await caller.swaps.create(samples.swap.body({ refundAddress: WALLETS.solana }))
  const link = await caller.collections.create(samples.collection.body())
  await caller.pay.act({ collectionId: link.id, ...START_SESSION })
  const cngnCustomerId = await cngnCustomer(process, actor)
  await caller.cngn.payouts.create({ customerId: cngnCustomerId, amount: '5.25', bankAccount: BANK_ACCOUNT })
  await process.providerCalls.flush()
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query('set session_replication_role = replica')
    await fill(client, organisationId)
    for (const change of FINISHED) await client.query(change)
    for (const table of TABLES) await multiply(client, table, size)
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
  return { actor, cngnCustomerId }
}

/** A customer with cNGN that arrived as a bank transfer: the provider has it. Works like a worker until it has. */
async function cngnCustomer({ createCaller, runtime }: Process, actor: Actor): Promise<string> {
  const customerId = await enabledCustomer(runtime, actor.organisationId)
  const { cngn, sandbox } = createCaller(actor)
  await sandbox.cngn.bankTransfer({ customerId, amount: CNGN })
  for (let tries = 0; tries < 100; tries++) {
    for (const { work } of everyDomain) for (const task of work?.tasks ?? []) await task.run(runtime)
    if ((await cngn.balance({ customerId })).available === CNGN) return customerId
    await sleep(100)
  }
  throw new Error('The bank transfer did not arrive')
}

/** Rows of tables that no operation above has written. */
async function fill(client: Client, organisationId: string): Promise<void> {
  const ids = [newId(), organisationId]
  await client.query(
    `insert into request_log (id, organisation_id, environment, method, path, status, duration_ms, request_id, replayed, resource_id, created_at)
     values ($1, $2, 'test', 'PATCH', '/v1/customers/{customerId}', 200, 3, 'r', false, gen_random_uuid(), now())`,
    ids,
  )
  await client.query(
    `insert into audit_log (id, operation, summary, organisation_id, environment, resource_id, input, created_at)
     values ($1, 'POST /admin/ops/x', 'x', $2, 'test', gen_random_uuid(), '{}', now())`,
    ids,
  )
  await client.query(
    `insert into notifications (id, organisation_id, environment, type, title, body, resource_type, resource_id, created_at)
     select $1, $2, 'test', 'money.received', 'x', 'x', 'payment_route', gen_random_uuid(), now() where not exists (select from notifications)`,
    ids,
  )
  await client.query(
    `insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, attempts, next_attempt_at, due_at, created_at, updated_at)
     select $1, $2, 'test', w.id, e.id, e.type, 'delivered', '[]', null, 'infinity', now(), now() from webhook_endpoints w, events e limit 1`,
    ids,
  )
}
