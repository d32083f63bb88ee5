import { expect, test } from 'vitest'
import { run } from './index.ts'

test('beside an organisation that misbehaves in every domain, nothing of ten others fails', {
  timeout: 600_000,
}, async () => {
  const lines: string[] = []
  const { findings, figures } = await run({ size: 'short', seed: 1, log: (line) => void lines.push(line) })
  expect(findings, lines.join('\n')).toEqual([])
  expect(figures.attackerRequests).toBeGreaterThan(100)
})
