import { checkLedger } from '@payments/ledger'
import { expect, test } from 'vitest'
import { useService } from '#testing'
import { fuzz } from './fuzz/fuzz.ts'
import { recordProblems } from './fuzz/records.ts'
import { referenceProblems } from './fuzz/references.ts'

const service = useService({ worker: true })

test('no generated request over REST or tRPC gets an internal error, a reply that the API document does not describe, or leaves half a record', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const { failures, statuses } = await fuzz(service, { requests: 5000, seed })
  expect(failures, `seed ${seed}`).toEqual([])
  // The generator must reach operations, and also be refused by them.
  for (const status of [200, 201, 404, 409, 422]) expect(statuses.get(status), String(status)).toBeGreaterThan(0)
  expect((await checkLedger(service.runtime)).findings, `seed ${seed}`).toEqual([])
  expect((await recordProblems(service.runtime)).problems, `seed ${seed}`).toEqual([])
  expect((await referenceProblems(service.runtime)).problems, `seed ${seed}`).toEqual([])
}, 180_000)
