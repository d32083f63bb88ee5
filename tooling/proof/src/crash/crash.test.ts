import { expect, test } from 'vitest'
import { run } from './index.ts'

test('while every process is killed at random, no acknowledged write is lost, no effect is doubled and no event is missing', {
  timeout: 600_000,
}, async () => {
  const lines: string[] = []
  const seed = Date.now() % 2 ** 31
  const { findings, figures } = await run({ size: 'short', seed, log: (line) => void lines.push(line) })
  expect(findings, `seed ${seed}\n${lines.join('\n')}`).toEqual([])
  expect(figures).toMatchObject({ endedObjects: expect.toSatisfy((count: number) => count > 30) })
})
