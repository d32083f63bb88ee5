import { expect, test } from 'vitest'
import { sized, useArtefact } from '#testing'
import { measureResourceAttacks } from './resources.ts'

const service = useArtefact({ settings: { CONNECTIONS_PER_ADDRESS: '400', TRUST_PROXY: '127.0.0.1' } })

async function expectServed(target: 'resources' | 'costs') {
  const { url, runtime } = service
  const size = { rounds: 1, requests: sized(40, 20), events: 2000 }
  const report = await measureResourceAttacks({ url, database: runtime }, size, target)
  for (const part of Object.values(report)) {
    expect(part.failures).toEqual([])
    expect(part.rounds.flat()).toHaveLength(size.requests)
  }
}

test(
  'beside resource attacks no request of a well-behaved organisation fails, and every reply is right',
  () => expectServed('resources'),
  120_000,
)

test(
  'beside receipts for strangers and hostile logos no request of a well-behaved organisation fails, and every reply is right',
  () => expectServed('costs'),
  120_000,
)
