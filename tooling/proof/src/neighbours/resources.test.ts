import { expect, test } from 'vitest'
import { sized, useArtefact } from '#testing'
import { measureResourceAttacks } from './resources.ts'

const service = useArtefact({ settings: { CONNECTIONS_PER_ADDRESS: '400' } })

test('beside resource attacks no request of a well-behaved organisation fails, and every reply is right', async () => {
  const { url, runtime } = service
  const size = { requests: sized(40, 20), events: 2000 }
  const report = await measureResourceAttacks({ url, database: runtime }, size)
  for (const part of Object.values(report)) {
    expect(part.failures).toEqual([])
    expect(part.latencies).toHaveLength(size.requests)
  }
}, 120_000)
