import { bind } from '@payments/kernel'
import { providers } from '@payments/platform'
import { expect, test } from 'vitest'
import { journal, type Merchant, newCngn, newMerchant, useService } from '#testing'
import { balanceOf, enabled, moveOn, show } from '../test/money.ts'
import { type CngnProvider, cngnProvider } from './provider/provider.ts'

const service = useService()
const GRACE_SECONDS = 900
/** What the sandbox gives a payer, s. */
const TIME_SECONDS = 1800

/** The service with a provider at which money may still arrive for a while after the end of an object's time. */
const withGrace = () => {
  const provider = { ...service.runtime.providers.sandbox(cngnProvider), graceSeconds: GRACE_SECONDS }
  return { ...service.runtime, providers: providers([bind(cngnProvider, 'test', provider)]) }
}

const arrivals = [
  ['payins', 'payments', { amount: '777' }],
  ['deposits', 'deposits', { amount: '777' }],
  ['converts', 'deposits', {}],
] as const

async function begin(kind: (typeof arrivals)[number][0]) {
  const merchant: Merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant)
  const { id } = await newCngn(merchant, kind, customerId)
  return { merchant, customerId, id, pass: (seconds: number) => moveOn(service, merchant, seconds, withGrace()) }
}

test.each(arrivals)(
  '%s that are paid within the grace period of their provider are credited',
  async (kind, what, body) => {
    const { merchant, customerId, id, pass } = await begin(kind)
    await pass(TIME_SECONDS + GRACE_SECONDS - 30)
    expect((await show(merchant, kind, id)).status).toBe('pending')
    expect((await merchant.call(`POST /v1/sandbox/cngn/${kind}/${id}/${what}`, { body })).status).toBe(201)
    await pass(3)
    await pass(3)
    expect(await show(merchant, kind, id)).toMatchObject({ status: 'completed', failureReason: null })
    expect(await balanceOf(merchant, customerId)).not.toEqual(['0', '0'])
  },
)

test.each(arrivals)('%s that nobody paid expire after the grace period of their provider', async (kind) => {
  const { merchant, id, pass } = await begin(kind)
  await pass(TIME_SECONDS + GRACE_SECONDS + 30)
  expect(await show(merchant, kind, id)).toMatchObject({ status: 'failed', failureReason: 'expired' })
})

test('one list that lacks the payment of an object whose time is over does not end it: the API may show it late', async () => {
  const { merchant, customerId, id } = await begin('payins')
  const unpaid = await newCngn(merchant, 'payins', customerId)
  const LISTS_APART_SECONDS = 120
  const listing = { shows: true }
  const own = service.runtime.providers.sandbox(cngnProvider)
  const late: CngnProvider = {
    ...own,
    ...{ graceSeconds: GRACE_SECONDS, listsApartSeconds: LISTS_APART_SECONDS },
    async transactions(...given) {
      const listed = await own.transactions(...given)
      return listing.shows ? listed : { ...listed, movements: [] }
    },
  }
  const runtime = { ...service.runtime, providers: providers([bind(cngnProvider, 'test', late)]) }
  expect((await merchant.call(`POST /v1/sandbox/cngn/payins/${id}/payments`, { body: { amount: '777' } })).status).toBe(
    201,
  )
  listing.shows = false
  await moveOn(service, merchant, TIME_SECONDS + GRACE_SECONDS + 30, runtime)
  expect((await show(merchant, 'payins', id)).status).toBe('pending')
  listing.shows = true
  await moveOn(service, merchant, 3, runtime)
  await moveOn(service, merchant, 3, runtime)
  expect(await show(merchant, 'payins', id)).toMatchObject({ status: 'completed', failureReason: null })
  expect(await balanceOf(merchant, customerId)).toEqual(['777', '0'])
  expect((await show(merchant, 'payins', unpaid.id)).status).toBe('pending')
  await moveOn(service, merchant, LISTS_APART_SECONDS, runtime)
  expect(await show(merchant, 'payins', unpaid.id)).toMatchObject({ status: 'failed', failureReason: 'expired' })
})

test('what is paid after the grace period of the provider is a payin of its own, and the one that ended stays failed', async () => {
  const { merchant, customerId, id, pass } = await begin('payins')
  await pass(TIME_SECONDS + GRACE_SECONDS + 30)
  await merchant.call(`POST /v1/sandbox/cngn/payins/${id}/payments`, { body: { amount: '777' } })
  await pass(3)
  await pass(3)
  expect(await show(merchant, 'payins', id)).toMatchObject({ status: 'failed', failureReason: 'expired' })
  expect(await balanceOf(merchant, customerId)).toEqual(['777', '0'])
  expect(await journal(service, merchant)).toEqual({ 'available cNGN': '777000000', 'external cNGN': '-777000000' })
})
