import type { Environment } from '@payments/kernel'
import type { Runtime } from '@payments/platform'
import { expect } from 'vitest'
import { advance, BVN, bankTransfer, type Merchant, newCngn, newCustomer, type TestService } from '#testing'
import { pollFeed } from '../src/movements/feed.ts'
import { pollDelivery } from '../src/movements/sends/deliveries.ts'
import { send } from '../src/movements/sends/send.ts'
import { verifyIdentity } from '../src/operators/jobs.ts'
import { cngnProvider } from '../src/provider/provider.ts'
import { pollFeedSoon } from '../src/provider/schedule.ts'

/** Runs the verification that was requested last, as the worker does. */
export async function verify(
  service: TestService,
  customerId: string,
  runtime: Runtime = service.runtime,
): Promise<void> {
  const { rows } = await service.runtime.pool.query(
    'select id, organisation_id, environment from cngn_enablements where customer_id = $1 order by created_at desc limit 1',
    [customerId],
  )
  const { id, organisation_id: organisationId, environment } = rows[0]
  await verifyIdentity.run(runtime, { id, organisationId, environment }, new AbortController().signal)
}

/** A new customer for whom cNGN is enabled, with this balance. */
export async function enabled(
  service: TestService,
  merchant: Merchant,
  balance?: string,
  name = 'Ada Obi',
): Promise<string> {
  const id = await newCustomer(merchant, { name })
  const answer = await merchant.call(`POST /v1/cngn/customers/${id}/enable`, { body: { bvn: BVN } })
  expect(answer.status, answer.text).toBe(200)
  await verify(service, id)
  if (balance) {
    await bankTransfer(merchant, id, balance)
    await moveOn(service, merchant, 3)
  }
  return id
}

/**
 * Moves the sandbox clock, and does once what the tasks of the worker do for the organisation: sends orders that wait, reads the
 * provider's list, and follows deliveries.
 */
export async function moveOn(
  service: TestService,
  merchant: Merchant,
  seconds = 0,
  runtime: Runtime = service.runtime,
): Promise<void> {
  if (seconds > 0) await advance(merchant, seconds)
  await sendWaiting(service, merchant, runtime)
  await readList(service, merchant, runtime)
  const { organisationId, environment } = merchant
  const { rows } = await service.runtime.pool.query(
    'select id from cngn_sends where organisation_id = $1 and next_delivery_at is not null',
    [organisationId],
  )
  for (const { id } of rows) await pollDelivery(runtime, { id, organisationId, environment, seconds: 2 })
}

/** A bank transfer whose narration names two payins of a customer, and so neither of them. */
export async function ambiguousTransfer(
  service: TestService,
  merchant: Merchant,
  customerId: string,
  amount: string,
): Promise<void> {
  const payins = [await newCngn(merchant, 'payins', customerId), await newCngn(merchant, 'payins', customerId)]
  await service.runtime.providers.sandbox(cngnProvider).simulateReceipt(service.runtime.pool, {
    ...{
      organisationId: merchant.organisationId,
      channel: 'bank_in',
      asset: 'cNGN',
      amount: BigInt(amount) * 1_000_000n,
    },
    ...{ targets: payins.map(({ reference }) => reference as string), convertedAmount: null, fee: 0n, timesOut: false },
  })
}

/** Sends the organisation's orders that wait. */
export async function sendWaiting(
  service: TestService,
  merchant: Merchant,
  runtime: Runtime = service.runtime,
): Promise<void> {
  const { organisationId, environment } = merchant
  const { rows } = await service.runtime.pool.query(
    "select id, kind from cngn_sends where organisation_id = $1 and sent_at is null and status <> 'ended' order by created_at, id",
    [organisationId],
  )
  for (const { id, kind } of rows) await send(runtime, { id, kind, organisationId, environment })
}

/** Reads the provider's list of the organisation's account. */
export async function readList(
  service: TestService,
  { organisationId: account, environment }: { organisationId: string; environment: Environment },
  runtime: Runtime = service.runtime,
): Promise<void> {
  await pollFeedSoon(service.runtime, environment, account, true)
  const { rows } = await service.runtime.pool.query(
    'select next_poll_at::text as until from cngn_feeds where environment = $1 and account = $2',
    [environment, account],
  )
  await pollFeed(runtime, { id: account, environment, account, pollSeconds: 2, until: rows[0].until })
}

/** An object as its GET shows it. */
export const show = async (merchant: Merchant, kind: string, id: string) =>
  (await merchant.call(`GET /v1/cngn/${kind}/${id}`)).body.data

/** Available and pending balance, as the merchant sees them. */
export async function balanceOf(merchant: Merchant, customerId: string): Promise<[string, string]> {
  const { available, pending } = (await merchant.call(`GET /v1/cngn/customers/${customerId}/balance`)).body.data
  return [available, pending]
}

/** The statuses that events announced for an object, in order: `pending>processing`. */
export async function eventsOf(service: TestService, id: string): Promise<string[]> {
  const { rows } = await service.runtime.pool.query<{ data: Record<string, unknown> }>(
    "select payload->'data' as data from events where resource_id = $1 order by id",
    [id],
  )
  return rows.map(({ data }) => `${data.previousStatus ?? ''}>${data.status}`)
}
