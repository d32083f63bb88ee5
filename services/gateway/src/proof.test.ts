import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { useService } from '#testing'

const service = useService()

test('/proof on the internal port shows what docs/reliability.md says, and the public port does not have it', async () => {
  const reply = await fetch(`${service.internalUrl}/proof`)
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/json'])
  const { checks, ...reliability } = (await reply.json()) as Record<string, unknown>
  const written = new URL('../../../docs/derived/reliability.json', import.meta.url)
  expect(reliability).toEqual(JSON.parse(readFileSync(written, 'utf8')))
  expect(checks).toEqual({ ledger: null })
  expect((await fetch(`${service.url}/proof`)).status).toBe(404)
})
