import { bind, newId, system } from '@payments/kernel'
import { post } from '@payments/ledger'
import { queryContext, type UnitOfWork, unitOfWork } from '@payments/platform'
import { describe, expect, test } from 'vitest'
import { cngnBodies, enabledCustomer, newMerchant, useService } from '#testing'
import { balanceOf } from '../../../test/money.ts'
import { TransferEntity, type TransferRow } from '../../entity.ts'
import { errors } from '../../errors.ts'
import { type CngnProvider, cngnProvider, type ProviderTransaction, type SendResult } from '../../provider/provider.ts'
import { sandboxCngn } from '../../provider/sandbox.ts'
import { complete, fail, lockedTransfer, process } from '../../resources/transfers.ts'
import { destinationKey } from './fingerprint.ts'
import { endSend, resolve } from './found.ts'
import { release, send } from './send.ts'

/** What the provider does with an order before it answers. */
let answer: () => Promise<SendResult>
const live = new Proxy({} as CngnProvider, {
  get: (_target, name) => {
    if (name === 'send') return () => answer()
    return name === 'name' ? 'cngn' : sandboxCngn(service.runtime.pool)[name as keyof CngnProvider]
  },
})
const service = useService({ live: [bind(cngnProvider, 'live', live)] })
const REJECTED = { status: 'rejected', reason: 'payout_failed', called: false } as const

/** A customer with 1,000 cNGN in live, and payouts of 100 cNGN to one account. */
async function begin() {
  const merchant = await newMerchant(service, { environment: 'live' })
  const { organisationId } = merchant
  const customerId = await enabledCustomer(service.runtime, organisationId, 0n, 'live')
  const context = queryContext(service.runtime, system(organisationId, 'live'))
  await unitOfWork(context, (unit) =>
    post(unit, {
      source: { type: 'adjustment', id: newId() },
      step: 'moved',
      postings: [
        { account: { purpose: 'external', asset: 'cNGN' }, amount: -1_000_000_000n },
        { account: { purpose: 'available', asset: 'cNGN', customerId }, amount: 1_000_000_000n },
      ],
    }),
  )
  const order = async (id: string) => {
    const { rows } = await service.runtime.pool.query(
      "select sent_at is not null as sent, reference, matched, status = 'ended' as ended from cngn_sends where id = $1",
      [id],
    )
    return rows[0]
  }
  return {
    order,
    async payout(amount: string = cngnBodies.payouts.amount) {
      const body = { customerId, ...cngnBodies.payouts, amount }
      const made = await merchant.call('POST /v1/cngn/payouts', { body })
      expect(made.status, made.text).toBe(201)
      return made.body.data.id as string
    },
    send: (id: string) => send(service.runtime, { id, kind: 'payout', organisationId, environment: 'live' }),
    release: (id: string, reference: string) =>
      unitOfWork(context, async (unit) =>
        release(unit, await lockedTransfer(unit, 'payout', id), { reference } as ProviderTransaction),
      ),
    resolve: (id: string, reference: string, matched = false) =>
      unitOfWork(context, (unit) => resolve(unit, id, reference, matched)),
    change: (id: string, change: (unit: UnitOfWork, row: TransferRow) => Promise<unknown>) =>
      unitOfWork(context, async (unit) => change(unit, await lockedTransfer(unit, 'payout', id))),
    outcome: async (id: string) => (await context.em.fork().findOneOrFail(TransferEntity, { id })).providerOutcome,
    attention: async (id: string) => (await context.em.fork().findOneOrFail(TransferEntity, { id })).attention,
    balance: () => balanceOf(merchant, customerId),
  }
}

const UNKNOWN = { sent: true, reference: null, matched: false, ended: false }
const FOUND = { sent: true, reference: 'R1', matched: true, ended: false }

/** An order that was sent without an answer, whose reference was found in a list. */
async function foundOrder() {
  const world = await begin()
  const id = await world.payout()
  answer = async () => {
    throw new Error('No answer')
  }
  await world.send(id)
  expect(await world.order(id)).toEqual(UNKNOWN)
  expect(await world.resolve(id, 'R1', true)).toBe(true)
  return { ...world, id }
}

describe('an order that was found by what it looks like', () => {
  test('is unresolved again once its movement failed; the same movement does so once', async () => {
    const { id, order, release, resolve, attention } = await foundOrder()
    await release(id, 'R1')
    expect([await order(id), await attention(id)]).toEqual([UNKNOWN, null])
    expect(await resolve(id, 'R2')).toBe(true)
    await release(id, 'R1')
    expect(await order(id)).toEqual({ ...FOUND, reference: 'R2', matched: false })
    expect(await attention(id)).toBe('outcome_unknown')
  })

  test('stays as it is when it has ended', async () => {
    const { id, order, release, change } = await foundOrder()
    await change(id, async (unit) => endSend(unit, id))
    await release(id, 'R1')
    expect(await order(id)).toEqual({ ...FOUND, ended: true })
  })

  test('stays as it is while an equal order is unresolved: a movement would fit both', async () => {
    const { id, order, release, attention, payout, send } = await foundOrder()
    const equal = await payout()
    await send(equal)
    expect(await order(equal)).toEqual(UNKNOWN)
    await release(id, 'R1')
    expect([await order(id), await attention(id)]).toEqual([FOUND, 'outcome_unknown'])
  })

  test('is not the one that the provider names for another', async () => {
    const { id, order, payout, send, resolve } = await foundOrder()
    const other = await payout('150')
    await send(other)
    expect(await resolve(other, 'R1')).toBe(true)
    expect([await order(id), await order(other)]).toEqual([UNKNOWN, { ...FOUND, matched: false }])
  })

  test.each([false, true])(
    'keeps its movement when the provider names it for an equal one too, which stays unresolved: one movement pays one order (ended: %s)',
    async (isEnded) => {
      const { id, order, payout, send, change } = await foundOrder()
      if (isEnded) await change(id, async (unit) => endSend(unit, id))
      const equal = await payout()
      answer = async () => ({ status: 'accepted', reference: 'R1' })
      await send(equal)
      expect([await order(id), await order(equal)]).toEqual([{ ...FOUND, ended: isEnded }, UNKNOWN])
    },
  )
})

describe('an order with a reference', () => {
  test('gets no other, and an ended one none', async () => {
    const { id, order, resolve, change } = await foundOrder()
    expect(await resolve(id, 'R2')).toBe(false)
    expect(await order(id)).toEqual(FOUND)
    const world = await begin()
    const ended = await world.payout()
    await change(id, async (unit) => endSend(unit, id))
    await world.change(ended, async (unit) => endSend(unit, ended))
    expect(await world.resolve(ended, 'R3')).toBe(false)
    expect(await world.order(ended)).toEqual({ sent: false, reference: null, matched: false, ended: true })
  })
})

describe('an answer that comes when the order', () => {
  const ended = { sent: true, reference: null, matched: false, ended: true }
  test.each<[string, SendResult, object]>([
    [
      'and accepts it keeps its reference, for what the provider lists',
      { status: 'accepted', reference: 'R2' },
      { ...ended, reference: 'R2' },
    ],
    ['and says that it was not sent sends it no more', { status: 'not_sent', called: false, retryAfter: 0 }, ended],
    ['and rejects it fails it no second time', REJECTED, ended],
  ])('was ended meanwhile %s', async (_name, result, left) => {
    const { payout, send, change, order, balance } = await begin()
    const id = await payout()
    answer = async () => {
      await change(id, async (unit, row) => {
        await fail(unit, row, 'payout_failed')
        await endSend(unit, id)
      })
      return result
    }
    await send(id)
    expect([await order(id), await balance()]).toEqual([left, ['1000', '0']])
  })

  test.each<[string, SendResult, object]>([
    ['under that reference confirms it', { status: 'accepted', reference: 'R1' }, { ...FOUND, matched: false }],
    ['under another reference changes nothing', { status: 'accepted', reference: 'R2' }, FOUND],
    ['that it was not sent changes nothing', { status: 'not_sent', called: false, retryAfter: 0 }, FOUND],
  ])('was found in a list meanwhile %s', async (_name, result, left) => {
    const { payout, send, resolve, order } = await begin()
    const id = await payout()
    answer = async () => {
      await resolve(id, 'R1', true)
      return result
    }
    await send(id)
    expect(await order(id)).toEqual(left)
  })
})

test('money that was paid out is given back by no later failure of the payout, and money that was given back is not paid out', async () => {
  const { payout, change, balance } = await begin()
  const [paid, failed] = [await payout(), await payout()]
  expect(await balance()).toEqual(['800', '0'])
  await change(paid, async (unit, row) => complete(unit, await process(unit, row), { fee: 0n }))
  for (let time = 0; time < 2; time++) await change(paid, (unit, row) => fail(unit, row, 'payout_failed'))
  expect(await balance()).toEqual(['800', '0'])
  await change(failed, (unit, row) => fail(unit, row, 'payout_failed'))
  for (let time = 0; time < 2; time++) await change(failed, (unit, row) => complete(unit, row, { fee: 0n }))
  expect(await balance()).toEqual(['900', '0'])
})

/** Until when an order that was not sent waits, in seconds from now, and why. */
async function waitOf(id: string) {
  const { rows } = await service.runtime.pool.query(
    'select round(extract(epoch from next_send_at - now()))::int as seconds, error from cngn_sends where id = $1',
    [id],
  )
  return rows[0]
}
const UNSENT = { sent: false, reference: null, matched: false, ended: false }

test.each<[string, () => Promise<SendResult>, number]>([
  ['the provider says so', async () => ({ status: 'not_sent', called: false, retryAfter: 500 }), 500],
  ['no call was free', () => Promise.reject(errors.cngn_provider_busy({ retryAfter: 700 })), 700],
])(
  'an order that was certainly not sent, because %s, is sent again later, and nothing of it is unknown',
  async (_why, given, seconds) => {
    const { payout, send, order, attention } = await begin()
    const id = await payout()
    answer = given
    await send(id)
    expect([await order(id), await attention(id)]).toEqual([UNSENT, null])
    const wait = await waitOf(id)
    expect(Math.abs(wait.seconds - seconds)).toBeLessThan(30)
  },
)

test('an order that got no answer says so to operators and merchants, and its error has no text of the provider', async () => {
  const { payout, send, order, outcome } = await begin()
  const id = await payout()
  answer = () => Promise.reject(new Error('secret detail'))
  await send(id)
  expect([await order(id), await outcome(id), (await waitOf(id)).error]).toEqual([UNKNOWN, 'unknown', 'internal'])
  const other = await payout('150')
  answer = () => Promise.reject(errors.cngn_provider_unavailable())
  await send(other)
  expect((await waitOf(other)).error).toBe('cngn_provider_unavailable')
})

test.each(['accepted', 'ended'] as const)(
  'an equal order waits for one without an answer, and is due at once when that is %s',
  async (how) => {
    const { payout, send, order, resolve, change } = await begin()
    const [first, second] = [await payout(), await payout()]
    answer = () => Promise.reject(new Error('No answer'))
    await send(first)
    await send(second)
    expect(await order(second)).toEqual(UNSENT)
    expect((await waitOf(second)).seconds).toBeGreaterThan(0)
    if (how === 'accepted') expect(await resolve(first, 'R1')).toBe(true)
    else await change(first, (unit) => endSend(unit, first))
    expect((await waitOf(second)).seconds).toBeLessThanOrEqual(0)
  },
)

test('an address is one destination in every spelling, and a name of another system is taken as it is written', () => {
  const address = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
  expect(destinationKey(address)).toBe('0x71c7656ec7ab88b098defb751b7401b5f6d8976f')
  expect(destinationKey('ABc0x')).toBe('ABc0x')
})
