import { expect, test } from 'vitest'
import { run } from './index.ts'

test('over two gateways and two workers nothing is lost but what a killed gateway had accepted, and limits and idempotency are exact', {
  timeout: 600_000,
}, async () => {
  const lines: string[] = []
  const { findings, figures } = await run({ size: 'short', seed: 1, log: (line) => void lines.push(line) })
  expect(findings, lines.join('\n')).toEqual([])
  expect(figures).toMatchObject({ killed: { kills: 2 }, exact: { idempotencyKeys: 20 } })
})
