import { setTimeout as sleep } from 'node:timers/promises'
import { cngn } from '@payments/cngn'
import { type Domain, domainsOf } from '@payments/platform'
import { expect } from 'vitest'
import { call, enabledCustomer, newMerchant, signedIn } from '../../src/index.ts'
import { newCngn } from '../samples/cngn.ts'
import { connected } from '../samples/payment-routes.ts'
import type { TestService } from '../service/service.ts'
import { anyCalls, type CngnWorld } from './cngn.ts'

/** A provider of cNGN whose books can be looked at. */
interface RestoredWorld extends CngnWorld {
  readonly transactions: readonly { readonly receiver?: unknown; readonly trx_type?: unknown }[]
}

/** How long a worker may take for what it is asked to do. */
export const soon = { timeout: 40_000, interval: 200 }

/** Makes cNGN payouts what they were before a second person approved them: they wait, and have no order. No edge of their states leads back. */
export async function forgetApprovals(service: TestService, ids: readonly string[]): Promise<void> {
  const owner = await connected(service)
  try {
    await owner.query('begin; alter table cngn_transfers disable trigger cngn_transfers_status_moves')
    await owner.query(
      `update cngn_transfers set status = 'pending', approval_status = 'waiting', approval_decided_by = null, provider_reference = null,
              provider_outcome = null where id = any ($1)`,
      [ids],
    )
    await owner.query('delete from cngn_sends where id = any ($1)', [ids])
    await owner.query('alter table cngn_transfers enable trigger cngn_transfers_status_moves; commit')
  } finally {
    await owner.end()
  }
}

/** What tests of a database that was restored do with a service with a worker, which uses the fake provider. */
export function restoredTo(service: TestService, world: RestoredWorld) {
  const { restore } = (cngn as Domain).data ?? {}

  const hurry = async () => {
    await service.runtime.pool.query(
      `with feeds as (update cngn_feeds set next_poll_at = now() - make_interval(secs => 1))
     update cngn_sends set next_send_at = now() - make_interval(secs => 1) where sent_at is null and status <> 'ended'`,
    )
    triggerAll()
  }
  const triggerAll = () => {
    for (const { name, work } of domainsOf(service.runtime))
      if (name === 'cngn') for (const task of work?.tasks ?? []) service.runtime.trigger(task.name)
  }

  /** A value after the tasks have been asked to run. */
  const after = async <T>(value: () => T): Promise<Awaited<T>> => {
    await hurry()
    return await value()
  }

  /** A customer with 1,000 cNGN, and payouts to an account of its own. */
  async function begin(accountNumber: string) {
    const merchant = await newMerchant(service, { environment: 'live' })
    const customerId = await enabledCustomer(service.runtime, merchant.organisationId, 0n, 'live')
    const { id, reference } = await newCngn(merchant, 'payins', customerId, { amount: '1000' })
    await world.pay(reference, 1_000_000_000n)
    await world.settle()
    const show = async (kind: string, of: string) => {
      await hurry()
      return (await merchant.call(`GET /v1/cngn/${kind}/${of}`)).body.data.status
    }
    await expect.poll(() => show('payins', id), soon).toBe('completed')
    const bankAccount = { accountNumber, bankCode: '058' }
    const row = async (of: string) =>
      (
        await service.runtime.pool.query(
          `select s.sent_at is not null as sent, s.reference is not null as known, s.status = 'ended' as ended, t.status, t.attention
           from cngn_sends s join cngn_transfers t on t.id = s.id where s.id = $1`,
          [of],
        )
      ).rows[0]
    return {
      merchant,
      customerId,
      bankAccount,
      show,
      row,
      isHeld: async (of: string) => (await after(() => row(of))).attention === 'outcome_unknown',
      /** Sends 100 cNGN to the account, so often, without an order of the database. */
      async sendForgotten(times = 1) {
        const order = { id: 'forgotten', account: world.account, amount: 100_000_000n }
        const destination = { type: 'bank' as const, ...bankAccount }
        for (let time = 0; time < times; time++) await world.provider.send({ ...order, destination }, anyCalls)
        await world.settle()
      },
      payout: async (amount = '100') =>
        (await newCngn(merchant, 'payouts', customerId, { amount, bankAccount })).id as string,
      sent: () =>
        world.transactions.filter(
          ({ receiver, trx_type }) => trx_type === 'redeem' && String(receiver).split(':')[1] === accountNumber,
        ).length,
    }
  }

  /** An operator ends a payout with this outcome. */
  async function settle(id: string, outcome: object): Promise<void> {
    const token = (await signedIn(service.runtime, { role: 'operator' })).accessToken
    const { status, text } = await call(service, `POST /v1/admin/ops/cngn/transfers/${id}/settle`, {
      ...{ token, key: null },
      body: { ...outcome, evidence: 'The bank has it', reason: 'After a restore' },
    })
    expect(status, text).toBe(200)
  }

  /** Stops the lists. A poll that is under way has its next one due at its end, and may find again what is forgotten meanwhile. */
  async function stopLists(): Promise<void> {
    const running = async () => {
      const { rows } = await service.runtime.pool.query(
        "update cngn_feeds set next_poll_at = 'infinity' where next_poll_at <> 'infinity' returning 1",
      )
      await sleep(1000)
      return rows.length
    }
    await expect.poll(running, soon).toBe(0)
  }

  /** Makes orders what they were before they were sent, as far as the states of their objects can go back, and waits with them. */
  async function forget(ids: readonly string[]): Promise<void> {
    await stopLists()
    await service.runtime.pool.query(
      "update cngn_sends set status = 'unresolved' where id = any ($1) and status = 'accepted'",
      [ids],
    )
    await service.runtime.pool.query(
      `with sends as (update cngn_sends set status = case when status in ('claimed', 'unresolved') then 'queued' else status end,
                            sent_at = null, reference = null, attempts = 0, next_send_at = 'infinity', next_check_at = null
                     where id = any ($1))
     update cngn_transfers set provider_reference = null, provider_outcome = null where id = any ($1)`,
      [ids],
    )
  }

  /** Makes one order due alone, until a worker has looked at it. */
  async function tryNow(id: string): Promise<void> {
    const due = (where: string) =>
      service.runtime.pool
        .query(`select from cngn_sends where id = $1 and ${where}`, [id])
        .then(({ rowCount }) => rowCount)
    await service.runtime.pool.query(
      `update cngn_sends set next_send_at = now() - make_interval(secs => 1) where id = $1`,
      [id],
    )
    triggerAll()
    await expect.poll(() => due('next_send_at > now()'), soon).toBe(1)
  }

  /** The time since an instant is forgotten. */
  const forgotten = (from: Date) => ({ from: new Date(from.getTime() - 10_000), to: new Date() })
  const secure = (from: Date) => restore?.secure?.(service.runtime.pool, forgotten(from), service.runtime.settings)
  /** What is said of movements to an account. Their references are random: one may contain the digits. */
  const compare = async (from: Date, accountNumber: string) =>
    (await restore?.compare?.(service.runtime, forgotten(from)))?.filter((text) =>
      text.includes(`to …${accountNumber.slice(-4)} `),
    )

  return { begin, after, hurry, triggerAll, stopLists, forget, tryNow, settle, secure, compare }
}
