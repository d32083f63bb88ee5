import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openApiDocument } from '@payments/gateway'
import openapiTS, { astToString } from 'openapi-typescript'
import { describe, expect, test } from 'vitest'
import { breaking } from './breaking.ts'
import { wholeInterface } from './whole-interface.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
describe('the gate against breaking changes refuses', () => {
  const customer = (next: ReturnType<typeof wholeInterface>) => next.paths['/customers'].post
  const cases: Record<string, (next: ReturnType<typeof wholeInterface>) => void> = {
    'a lost operation': (next) => delete next.paths['/customers'].get,
    'a lost success status': (next) => delete customer(next).responses['201'],
    'a newly required field': (next) =>
      customer(next).requestBody.content['application/json'].schema.required.push('phoneNumber'),
    'a refused field': (next) =>
      delete customer(next).requestBody.content['application/json'].schema.properties.phoneNumber,
    'a tighter limit': (next) => {
      customer(next).requestBody.content['application/json'].schema.properties.name.maxLength = 3
    },
    'a lost reply field': (next) => delete next.components.schemas.Customer.properties.email,
    'a reply field of another type': (next) => {
      next.components.schemas.Customer.properties.email.type = ['string', 'null']
    },
    'a lost query parameter': (next) => {
      next.paths['/transactions'].get.parameters = []
    },
  }
  for (const [name, change] of Object.entries(cases)) {
    test(name, () => {
      const next = wholeInterface()
      change(next)
      expect(breaking(wholeInterface(), next)).not.toEqual([])
    })
  }
})

test('a TypeScript client generated from the document compiles', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'payments-client-'))
  try {
    writeFileSync(join(folder, 'api.d.ts'), astToString(await openapiTS(JSON.stringify(openApiDocument()))))
    writeFileSync(
      join(folder, 'client.ts'),
      `import createClient from 'openapi-fetch'
import type { paths } from './api.d.ts'
const client = createClient<paths>({ baseUrl: 'https://payments.example/v1' })
export async function use(): Promise<string> {
  const made = await client.POST('/customers', { body: { name: 'Ada', email: 'ada@example.com' }, params: { header: { 'Idempotency-Key': 'k' } } })
  // @ts-expect-error a customer needs an email
  await client.POST('/customers', { body: { name: 'Ada' } })
  const routes = await client.GET('/payment-routes')
  const first: 'active' | 'paused' | 'deleted' | undefined = routes.data?.data.paymentRoutes[0]?.status
  return made.data?.data.id ?? first ?? ''
}
`,
    )
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'esnext',
          module: 'nodenext',
          strict: true,
          noEmit: true,
          allowImportingTsExtensions: true,
          skipLibCheck: false,
          lib: ['esnext', 'dom'],
          types: [],
        },
        include: ['*.ts'],
      }),
    )
    symlinkSync(join(root, 'tooling/acceptance/node_modules'), join(folder, 'node_modules'))
    const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' })
    expect(stdout).toBe('')
    expect(status).toBe(0)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
