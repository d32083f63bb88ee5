import { expect, test } from 'vitest'
import { journalOf } from './transactions/journal.ts'

const id = '01936f2a-7c1e-7000-8000-000000000070'
const journal = journalOf({ id, provider: 'jupiter', fromCurrency: 'USDC', toCurrency: 'SOL' })
const linesOf = ({ postings }: ReturnType<typeof journal.swapped>) =>
  postings.map(({ account: { purpose, asset, party }, amount }) => [purpose, asset, party, amount])

test('a deposit is at the deposit address, once for each transaction of the chain', () => {
  const draft = journal.received('signature', 1000n)
  expect(draft.source).toEqual({ type: 'swap', id })
  expect(draft.step).toBe('received.1a2fc26dc7ea5a2a4748b7cb2b1ef1')
  expect(journal.received('another', 1000n).step).not.toBe(draft.step)
  expect(linesOf(draft)).toEqual([
    ['external', 'USDC', undefined, -1000n],
    ['clearing', 'USDC', 'jupiter', 1000n],
  ])
})

test('a swap takes from the deposit address and delivers through the exchange; its fees are in the asset received', () => {
  const draft = journal.swapped(1000n, 5n, 2n)
  expect([draft.source, draft.step]).toEqual([{ type: 'swap', id }, 'swapped'])
  expect(linesOf(draft)).toEqual([
    ['clearing', 'USDC', 'jupiter', -1000n],
    ['exchange', 'USDC', 'jupiter', 1000n],
    ['exchange', 'SOL', 'jupiter', -5n],
    ['destination', 'SOL', undefined, 5n],
    ['exchange', 'SOL', 'jupiter', -2n],
    ['fees', 'SOL', undefined, 2n],
  ])
  expect(linesOf(journal.swapped(1000n, 5n, 0n))).toHaveLength(4)
})

test('what is sent back leaves the deposit address, once for each transaction of the chain', () => {
  const draft = journal.returned('signature', 1000n)
  expect(draft.step).toBe(journal.received('signature', 1n).step.replace('received', 'returned'))
  expect(linesOf(draft)).toEqual([
    ['clearing', 'USDC', 'jupiter', -1000n],
    ['external', 'USDC', undefined, 1000n],
  ])
})
