import { readFileSync } from 'node:fs'
import { everyError } from '@payments/gateway'
import { expect, test } from 'vitest'

const FILE = new URL('../../../../docs/contract/messages.json', import.meta.url)

// Clients branch on status and message (specification, Errors, rule 4).
test('no error has another status or message than in the contract, and each error is in it', () => {
  const contract = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, { status: number; message: string }>
  const now = Object.fromEntries(everyError().map(({ code, status, message }) => [code, { status, message }]))
  expect(now).toEqual(contract)
})
