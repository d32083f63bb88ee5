import { newId, system } from '@payments/kernel'
import { checkLedger } from '@payments/ledger'
import { move, queryContext, unitOfWork } from '@payments/platform'
import { expect, test } from 'vitest'
import { call, depositFor, endingsContract, newMerchant, newSwap, type Stage, signedIn, useService } from '#testing'
import { SwapEntity, SwapTransactionEntity, swapResource } from './entity.ts'
import { errors } from './errors.ts'
import { operators } from './operators/operators.ts'
import { processNow } from './polling/process.ts'
import { applyDeposits } from './transactions/deposits.ts'
import { complete, fail, returned } from './transactions/transactions.ts'

const service = useService({ settings: { OPERATOR_EMAILS: 'operator@example.com,second@example.com' } })

/** A swap whose provider answers nothing more, with this deposit. */
async function stuck(given: { amount?: string; before?: (id: string) => Promise<unknown> } = {}) {
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant)
  await given.before?.(id)
  if (given.amount !== '0') await depositFor(merchant, id, { amount: given.amount ?? '100' })
  const context = queryContext(service.runtime, system(merchant.organisationId, 'test'))
  const row = () => context.em.findOneOrFail(SwapEntity, { id }, { refresh: true })
  return { merchant, id, context, row, organisationId: merchant.organisationId }
}

const input = (id: string, outcome: string) => ({
  swapId: id,
  txHash: newId(),
  evidence: 'Two explorers',
  ...(outcome === 'completed' ? { amount: '107.5' } : {}),
})

/** A swap whose deposit was applied, and whose transaction was signed long ago. */
const swapping: Stage = async (outcome) => {
  const { id, row, organisationId } = await stuck()
  await service.runtime.pool.query("update sandbox_swap_deposits set received_at = received_at - interval '10 seconds'")
  await processNow(service.runtime, await row())
  await service.runtime.pool.query(
    "update swap_transactions set created_at = created_at - interval '1 hour' where swap_id = $1",
    [id],
  )
  expect((await row()).status).toBe('swapping')
  return { id, organisationId, input: input(id, outcome) }
}

/** A swap that ended with money at its address. */
const ended =
  (status: 'expired' | 'cancelled' | 'failed' | 'completed' | 'refunded'): Stage =>
  async (outcome) => {
    const { id, organisationId, context, row } = await stuck({ amount: '0' })
    const { pool } = service.runtime
    const over = status === 'completed'
    await pool.query('update swaps set amount = $2 where id = $1', [id, over ? 60_000_000 : 100_000_000])
    const deposit = (txHash: string, amount: bigint) => ({
      deposits: [{ txHash, amount, at: new Date() }],
      finalizedAt: new Date(),
      readTo: null,
      complete: true,
    })
    const from = { readTo: null, provider: 'sandbox' }
    const apply = (amount: bigint) =>
      unitOfWork(context, (unit) => applyDeposits(unit, id, deposit(newId(), amount), from))
    if (status === 'completed') {
      await apply(100_000_000n)
      const sent = { signature: newId(), amount: 60_000_000n }
      await unitOfWork(context, async (unit) =>
        complete(unit, await row(), sent, { receivedAmount: 64_000_000n, fees: 0n }),
      )
    } else if (status === 'failed') {
      await apply(100_000_000n)
      await unitOfWork(context, (unit) => fail(unit, id, 'no_route'))
    } else {
      await apply(50_000_000n)
      const event = status === 'cancelled' ? 'cancel' : 'expire'
      await unitOfWork(context, (unit) => move(unit, swapResource, id, event, errors.swap_not_found))
      if (status === 'refunded') {
        const sent = { signature: newId(), amount: 50_000_000n }
        await unitOfWork(context, async (unit) => returned(unit, await row(), sent))
        await apply(7_000_000n)
      }
    }
    expect((await row()).status).toBe(status)
    return { id, organisationId, input: input(id, outcome) }
  }

endingsContract(service, operators.endings ?? [], {
  swap: {
    swapping,
    completed: ended('completed'),
    failed: ended('failed'),
    expired: ended('expired'),
    cancelled: ended('cancelled'),
    refunded: ended('refunded'),
  },
})

test('a swap whose own transaction may still be accepted is not settled, and nothing is sent back twice', async () => {
  const staged = await swapping('returned')
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator', email: 'operator@example.com' })
  const settle = (body: object) =>
    call(service, `POST /v1/admin/ops/swaps/${staged.id}/settle`, {
      token,
      key: null,
      body: { outcome: 'returned', txHash: newId(), reason: 'Seen', ...body },
    })
  await service.runtime.orm.em
    .fork()
    .nativeUpdate(
      SwapTransactionEntity,
      { swapId: staged.id },
      { createdAt: new Date() },
      { filters: { tenant: false } },
    )
  expect((await settle({})).status).toBe(409)
  await service.runtime.pool.query(
    "update swap_transactions set created_at = created_at - interval '1 hour' where swap_id = $1",
    [staged.id],
  )
  expect((await settle({ amount: '100.000001' })).body.errors).toEqual({
    amount: 'Must be at most what is held for the swap',
  })
  expect((await settle({})).body.data).toMatchObject({ status: 'refunded', failureReason: 'swap_failed' })
  expect((await settle({})).status).toBe(409)
})

test('what was delivered is named by who says that a swap was completed', async () => {
  const staged = await swapping('completed')
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator', email: 'operator@example.com' })
  const settle = (amount?: string) =>
    call(service, `POST /v1/admin/ops/swaps/${staged.id}/settle`, {
      token,
      key: null,
      body: { outcome: 'completed', txHash: newId(), reason: 'Seen', ...(amount ? { amount } : {}) },
    })
  expect((await settle()).body.errors).toEqual({ amount: 'Required: what the destination received' })
  expect((await settle('0')).status).toBe(422)
  expect((await settle('106.25')).body.data).toMatchObject({ status: 'completed', receivedAmount: '106.25' })
})

test('a transaction settles one swap, once, and nothing is sent back of one that waits for its deposit', async () => {
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator', email: 'operator@example.com' })
  const settle = (id: string, body: object) =>
    call(service, `POST /v1/admin/ops/swaps/${id}/settle`, { token, key: null, body: { reason: 'Seen', ...body } })
  const txHash = newId()
  const { id } = await ended('cancelled')('returned')
  expect((await settle(id, { outcome: 'returned', txHash, amount: '20' })).status).toBe(200)
  const again = await settle(id, { outcome: 'returned', txHash, amount: '20' })
  expect([again.status, again.body.message]).toEqual([409, 'The transaction is counted by a swap already'])
  expect((await settle(id, { outcome: 'returned', txHash: newId() })).body.data).toMatchObject({ status: 'refunded' })

  const waits = await stuck({ amount: '40' })
  await service.runtime.pool.query("update sandbox_swap_deposits set received_at = received_at - interval '10 seconds'")
  await processNow(service.runtime, await waits.row())
  expect(await waits.row()).toMatchObject({ status: 'awaiting_deposit', depositedAmount: 40_000_000n })
  expect((await settle(waits.id, { outcome: 'returned', txHash: newId() })).status).toBe(409)
  expect((await checkLedger(service.runtime)).findings).toEqual([])
})
