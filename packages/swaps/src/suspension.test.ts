import { expect, test } from 'vitest'
import { call, depositFor, getSwap, newMerchant, newSwap, signedIn, useService } from '#testing'
import { expectJournalEqualsChain, heldOnChain, processAfter, processUntil } from '../test/chain.ts'

const service = useService({ settings: { OPERATOR_EMAILS: 'operator@example.com' } })

async function begin() {
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant)
  const ops = (path: string, body: object = {}) =>
    call(service, `POST /v1/admin/ops/${path}`, { token, body: { reason: 'Asked for', ...body } })
  return {
    id,
    merchant,
    suspend: async () => expect((await ops(`organisations/${merchant.organisationId}/suspend`)).status).toBe(200),
    reactivate: async () => expect((await ops(`organisations/${merchant.organisationId}/reactivate`)).status).toBe(200),
    release: async (outcome: string) => (await ops(`swaps/${id}/release`, { outcome })).status,
    sent: async () =>
      (
        await service.runtime.pool.query<{ kind: string }>('select kind from swap_transactions where swap_id = $1', [
          id,
        ])
      ).rows,
    attention: async () =>
      (
        await call(service, 'POST /v1/admin/ops/attention', {
          token,
          key: null,
          body: { organisationId: merchant.organisationId },
        })
      ).body.data.objects.map(({ condition, reason }: { condition: string; reason: string }) => [condition, reason]),
    /** The deposit is there, and its block is final. */
    async paid(amount = '100') {
      await depositFor(merchant, id, { amount })
      await service.runtime.pool.query(
        "update sandbox_swap_deposits set received_at = received_at - interval '10 seconds'",
      )
    },
    /** Processes it often, as workers do for hours. */
    async processed() {
      for (let round = 0; round < 3; round++) {
        await processAfter(service, merchant, id)
        await service.runtime.pool.query(
          "update swap_polls set failing_since = failing_since - interval '2 hours' where id = $1",
          [id],
        )
      }
      return (await getSwap(merchant, id)).status
    },
  }
}

test('a swap that was not sent when its organisation was suspended waits, visible to operators, who have it sent', async () => {
  const swap = await begin()
  await swap.paid()
  await swap.suspend()
  expect([await swap.processed(), await swap.sent()]).toEqual(['swapping', []])
  expect(await swap.attention()).toEqual([['held', 'organisation_suspended']])
  expect(await swap.release('send')).toBe(200)
  await processAfter(service, swap.merchant, swap.id)
  expect((await swap.sent()).length).toBe(1)
  expect(await swap.attention()).toEqual([])
  expect(await swap.release('send')).toBe(409)
  await swap.reactivate()
  await processUntil(service, swap.merchant, swap.id, 'completed')
  await expectJournalEqualsChain(service)
})

test('an operator has it fail instead: it is not swapped, and its deposit goes back', async () => {
  const swap = await begin()
  await swap.paid()
  await swap.suspend()
  await swap.processed()
  expect(await swap.release('return')).toBe(200)
  await processAfter(service, swap.merchant, swap.id)
  expect(await swap.sent()).toEqual([{ kind: 'refund' }])
  await swap.reactivate()
  const { failureReason } = await processUntil(service, swap.merchant, swap.id, 'refunded')
  expect(failureReason).toBe('organisation_suspended')
  await expectJournalEqualsChain(service)
})

test('a refund waits like a swap, and goes on when the suspension is lifted', async () => {
  const swap = await begin()
  expect((await swap.merchant.call(`POST /v1/swaps/${swap.id}/cancel`)).status).toBe(200)
  await swap.paid()
  await swap.suspend()
  expect([await swap.processed(), await swap.sent()]).toEqual(['cancelled', []])
  expect(await swap.attention()).toEqual([['held', 'organisation_suspended']])
  await swap.reactivate()
  await processUntil(service, swap.merchant, swap.id, 'refunded')
  expect(await swap.attention()).toEqual([])
})

test('what was sent before finishes', async () => {
  const swap = await begin()
  await swap.paid()
  await processAfter(service, swap.merchant, swap.id)
  expect(await swap.sent()).toEqual([{ kind: 'swap' }])
  await swap.suspend()
  await service.runtime.pool.query("update sandbox_swap_transactions set settles_at = now() - interval '10 seconds'")
  await processAfter(service, swap.merchant, swap.id)
  await processAfter(service, swap.merchant, swap.id)
  expect([(await getSwap(swap.merchant, swap.id)).status, await heldOnChain(service, swap.id)]).toEqual([
    'completed',
    0n,
  ])
})
