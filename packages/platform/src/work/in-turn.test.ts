import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inTurn } from './in-turn.ts'

test('pages of long replies run one at a time, in the order asked, and what is ready runs between two', async () => {
  const seen: string[] = []
  const page = (name: string) =>
    inTurn(async () => {
      seen.push(`${name} begins`)
      await sleep(5)
      seen.push(`${name} ends`)
      setImmediate(() => seen.push(`other work after ${name}`))
      return name
    })
  expect(await Promise.all(['a', 'b', 'c'].map(page))).toEqual(['a', 'b', 'c'])
  expect(seen).toEqual(
    ['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`, `other work after ${name}`]).slice(0, -1),
  )
})

test('a page that fails, or that waits for the database, holds up no other', async () => {
  const failing = inTurn(async () => {
    throw new Error('connection lost')
  })
  let answer = (_rows: string): void => undefined
  const waiting = inTurn(() => new Promise<string>((resolve) => (answer = resolve)))
  expect(await inTurn(async () => 'another')).toBe('another')
  await expect(failing).rejects.toThrow('connection lost')
  answer('rows')
  expect(await waiting).toBe('rows')
})
