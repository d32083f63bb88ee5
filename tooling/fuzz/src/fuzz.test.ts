import { expect, test } from 'vitest'
import { sized, useService } from '#testing'
import { fuzz } from './run.ts'

const service = useService()

test('no generated request over REST or tRPC gets an internal error or a reply that the API document does not describe', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const { failures, statuses } = await fuzz(service, { requests: sized(600, 300), seed })
  expect(failures, `seed ${seed}`).toEqual([])
  // The generator must reach operations, and also be refused by them. Of so few requests it may be that none creates something.
  for (const status of [200, 404, 422]) expect(statuses.get(status), String(status)).toBeGreaterThan(0)
}, 120_000)
