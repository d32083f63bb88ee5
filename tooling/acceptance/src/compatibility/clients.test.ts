import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openApiDocument } from '@payments/gateway'
import openapiTS, { astToString } from 'openapi-typescript'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
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
