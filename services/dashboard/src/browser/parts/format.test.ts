import { expect, test } from 'vitest'
import { networkName, shownWait } from './format.ts'

test('a wait is said in minutes, and a short one in seconds', () => {
  expect([1, 89, 90, 1699].map(shownWait)).toEqual(['1 second', '89 seconds', '2 minutes', '29 minutes'])
})

test('a network has its own name, and any other key its words', () => {
  expect(['arbitrum', 'bnb_smart_chain_2'].map(networkName)).toEqual(['Arbitrum One', 'Bnb smart chain 2'])
})
