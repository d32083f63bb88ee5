import { expect, test } from 'vitest'
import { sized, useService } from '#testing'
import { attack } from './run.ts'

const service = useService({ settings: { CONNECTIONS_PER_ADDRESS: '400' } })

test('beside resource attacks no request of a well-behaved organisation fails, and every reply is right', async () => {
  const report = await attack(service, { requests: sized(40, 20), events: 2000, seed: 1 })
  for (const part of Object.values(report)) {
    expect(part.failures).toEqual([])
    expect(part.latencies).toHaveLength(sized(40, 20))
  }
}, 120_000)
