import { expect, test } from 'vitest'
import { bookOf, foundOrganisation, own, startService, transfer, useService } from '#testing'
import { checkLedger } from './check/check.ts'
import { post } from './post.ts'
import { seal } from './seal.ts'

const service = useService()
const newTransfer = () => transfer(own('external'), own('available'), 1n)

const newBook = async () => bookOf(service.runtime, await foundOrganisation(service.runtime))

const unsealedCount = async (): Promise<number> =>
  (await service.runtime.pool.query('select count(*)::int as n from ledger_unsealed')).rows[0].n

test('a worker seals posted entries soon after they were posted', async () => {
  const worker = await startService({ worker: true })
  try {
    const organisationId = await foundOrganisation(worker.runtime)
    await bookOf(worker.runtime, organisationId).do((unit) => post(unit, [newTransfer(), newTransfer(), newTransfer()]))
    for (let sealed = 0; sealed < 3; ) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      const { rows } = await worker.runtime.pool.query(
        'select coalesce(sum(cardinality(entry_ids)), 0)::int as n from ledger_seals where organisation_id = $1',
        [organisationId],
      )
      sealed = rows[0].n
    }
    expect(worker.logs.some((line) => line.includes('ledger sealed'))).toBe(true)
    expect((await checkLedger(worker.runtime)).findings).toEqual([])
  } finally {
    await worker.stop()
  }
})

test('each organisation has its own chain, and concurrent sealers never fork a chain', async () => {
  const books = [await newBook(), await newBook()]
  for (const book of books) await book.do((unit) => post(unit, Array.from({ length: 40 }, newTransfer)))
  // A sealer whose seal number is already used fails, and its entries stay in the queue.
  for (let n = await unsealedCount(); n > 0; n = await unsealedCount()) {
    await Promise.allSettled(Array.from({ length: 6 }, () => seal(service.runtime, 7)))
  }
  const report = await checkLedger(service.runtime, { batch: 10 })
  expect(report.findings).toEqual([])
  expect(report.walked.seals).toBeGreaterThan(2)
})

test('a batch that is full says that there may be more', async () => {
  const book = await newBook()
  while (await seal(service.runtime)) {
    // Until what other tests posted is sealed.
  }
  await book.do((unit) => post(unit, Array.from({ length: 3 }, newTransfer)))
  expect([await seal(service.runtime, 2), await seal(service.runtime, 2), await seal(service.runtime, 2)]).toEqual([
    true,
    false,
    false,
  ])
})

test('a writer does not wait for a sealer, nor a sealer for a writer', async () => {
  const book = await newBook()
  await book.do((unit) => post(unit, newTransfer()))
  const sealer = await service.runtime.pool.connect()
  try {
    await sealer.query('begin')
    await sealer.query('delete from ledger_unsealed')
    await book.do(async (unit) => {
      await post(unit, newTransfer())
      await seal(service.runtime)
    })
    await sealer.query('rollback')
  } finally {
    sealer.release()
  }
  while (await seal(service.runtime, 1)) {
    // Until the queue is empty.
  }
  expect((await checkLedger(service.runtime)).findings).toEqual([])
})
