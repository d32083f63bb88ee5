import { newId } from '@payments/kernel'
import type { Runtime } from '@payments/platform'
import { expect, test } from 'vitest'
import { connected, expectConsistent, journal, newCngn, newMerchant, statementsWaiting, useService } from '#testing'
import { enabled } from '../test/money.ts'
import { applyIncoming } from './movements/receipts/incoming.ts'
import type { ProviderTransaction } from './provider/provider.ts'

const service = useService()

const lock = (db: Awaited<ReturnType<typeof connected>>, id: string) =>
  db.query('select from cngn_transfers where id = $1 for no key update', [id])

test('a second deposit that two polls apply at once is applied once, and neither waits for the other with a lock in hand', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant)
  const deposit = await newCngn(merchant, 'deposits', customerId)
  const { rows: made } = await service.runtime.pool.query('select receive_at from cngn_transfers where id = $1', [
    deposit.id,
  ])
  const address: string = made[0].receive_at
  const [first, second] = [await connected(service), await connected(service)]
  const { organisationId: account, environment } = merchant
  const tx: ProviderTransaction = {
    ...{ reference: `REF-${newId()}`, channel: 'crypto_in', status: 'pending', asset: 'cNGN', amount: 5_000_000n },
    ...{ fee: 0n, convertedAmount: null, targets: [address], txHash: null, failureReason: null },
    ...{ outcomeUnknown: false, at: new Date() },
  }
  try {
    await first.query('begin')
    await lock(first, deposit.id)
    // It has found the object of the address, and waits for it.
    const applied = applyIncoming(service.runtime, environment, account, tx)
    await statementsWaiting(service, 1)
    // Meanwhile another poll has made it an object of its own, and goes on with that.
    const other = newId()
    await second.query(
      "insert into cngn_transfers select (jsonb_populate_record(t, jsonb_build_object('id', $2::text))).* from cngn_transfers t where id = $1",
      [deposit.id, other],
    )
    await second.query(
      `insert into cngn_receipts (id, environment, account, reference, organisation_id, customer_id, transfer_id, status, asset, amount, fee, targets, received_at, created_at)
       values ($1, $2, $3::text, $4, $3::uuid, $5, $6, 'open', 'cNGN', 5000000, 0, '{}', now(), now())`,
      [newId(), environment, account, tx.reference, customerId, other],
    )
    await second.query('begin')
    await lock(second, other)
    await first.query('commit')
    await statementsWaiting(service, 1)
    const locked = await second.query('select from cngn_receipts where reference = $1 for update nowait', [
      tx.reference,
    ])
    expect(locked.rowCount).toBe(1)
    await second.query('commit')
    expect(await applied).toBe(true)
    const { rows } = await service.runtime.pool.query('select id, status from cngn_transfers where receive_at = $1', [
      address,
    ])
    expect(new Map(rows.map(({ id, status }) => [id, status]))).toEqual(
      new Map([
        [deposit.id, 'pending'],
        [other, 'processing'],
      ]),
    )
    await expectConsistent(service, 'others')
  } finally {
    await Promise.all([first.end(), second.end()])
  }
})

test('a payin that another poll makes while what a payment belongs to is looked up is completed with its fee, and nothing is in suspense', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant)
  const payin = await newCngn(merchant, 'payins', customerId)
  const { organisationId: account, environment } = merchant
  const payment = (reference: string, status: ProviderTransaction['status']): ProviderTransaction => ({
    ...{ reference, channel: 'bank_in', status, asset: 'cNGN', amount: 1_000_000_000n, fee: 75_000_000n },
    ...{ convertedAmount: null, targets: [reference, payin.reference], txHash: null, failureReason: null },
    ...{ outcomeUnknown: false, at: new Date() },
  })
  const apply = (tx: ProviderTransaction, runtime: Runtime = service.runtime) =>
    applyIncoming(runtime, environment, account, tx)
  await apply(payment(`REF-${newId()}`, 'completed'))

  const again = `REF-${newId()}`
  let lookups = 0
  const { pool } = service.runtime
  const query = async (...given: Parameters<typeof pool.query>) => {
    const found = await pool.query(...given)
    // It has no object yet; now another poll makes one.
    if (lookups++ === 0) await apply(payment(again, 'pending'))
    return found
  }
  const meanwhile = new Proxy(pool, {
    get: (target, name) => {
      if (name === 'query') return query
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  expect(await apply(payment(again, 'completed'), { ...service.runtime, pool: meanwhile })).toBe(true)
  const { rows } = await pool.query(
    "select status, amount::text, fee::text from cngn_transfers where organisation_id = $1 and kind = 'payin'",
    [account],
  )
  expect(rows).toEqual(
    Array.from({ length: 2 }, () => ({ status: 'completed', amount: '1000000000', fee: '75000000' })),
  )
  const held = await journal(service, merchant)
  expect(held['suspense cNGN'] ?? '0').toBe('0')
  await expectConsistent(service, 'others')
})
