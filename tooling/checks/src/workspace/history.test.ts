import { expect, test } from 'vitest'
import { filesFrom } from './history.ts'

test('a bench is made of what it imports and of the programs that it starts, and of no other bench', () => {
  expect(filesFrom('tooling/bench/src/requests/requests.ts')).toEqual(
    expect.arrayContaining([
      ...['tooling/bench/src/requests/requests.ts', 'tooling/bench/src/requests/floor.ts'],
      ...['tooling/bench/src/servers/load.ts', 'tooling/bench/src/tables/seed.ts'],
    ]),
  )
  expect(filesFrom('tooling/bench/src/growth/memory.ts')).not.toContain('tooling/bench/src/growth/payments.ts')
})

test('a file that is not there is made of nothing that could be recorded', () => {
  expect(() => filesFrom('tooling/bench/src/undefined')).toThrow('ENOENT')
})
