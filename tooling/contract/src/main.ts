/**
 * `npm run clients`: lints both API documents with Spectral (`spectral:oas`), generates clients with @hey-api/openapi-ts and
 * orval, and compiles them. Installs these tools into a temporary folder: 330 packages that nothing else needs. The tests
 * cover Redocly and openapi-typescript.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installTools } from '@payments/checks'
import { openApiDocument } from '@payments/gateway'

const TOOLS = ['@stoplight/spectral-cli@6', '@hey-api/openapi-ts@0.95', 'orval@7', 'typescript@5.9.3']
/** Names that a person would choose, in either client. */
const NAMES = [/export const createPaymentRoute\b/, /export (type|interface) PaymentRoute\b/]

const folder = mkdtempSync(join(tmpdir(), 'payments-clients-'))
const failures: string[] = []
try {
  const modules = installTools(folder, TOOLS)
  const run = (name: string, file: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(modules, file), ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
    process.stdout.write(`${name}: ${status === 0 ? 'passed' : 'failed'}\n`)
    if (status !== 0) failures.push(`${name}\n${stdout}${stderr}`)
  }
  writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
  for (const audience of ['merchants', 'operators'] as const) {
    const file = `${audience}.json`
    writeFileSync(join(folder, file), JSON.stringify(openApiDocument(audience)))
    run(`Spectral, ${audience}`, '.bin/spectral', 'lint', file, '-r', '.spectral.yaml', '--fail-severity', 'hint')
    run(`@hey-api/openapi-ts, ${audience}`, '.bin/openapi-ts', '-i', file, '-o', `hey-${audience}`)
    run(
      `orval, ${audience}`,
      '.bin/orval',
      '--input',
      file,
      '--output',
      `orval-${audience}/api.ts`,
      '--client',
      'fetch',
    )
  }
  const compilerOptions = {
    target: 'esnext',
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
  }
  const libraries = { lib: ['esnext', 'dom', 'dom.iterable'], types: [], skipLibCheck: true }
  const include = ['hey-*/**/*.ts', 'orval-*/**/*.ts']
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, ...libraries }, include }),
  )
  run('The generated clients compile', 'typescript/bin/tsc', '-p', '.')
  for (const files of [['hey-merchants/sdk.gen.ts', 'hey-merchants/types.gen.ts'], ['orval-merchants/api.ts']]) {
    const text = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
    const missing = NAMES.filter((name) => !name.test(text))
    if (missing.length > 0) failures.push(`${files[0]} lacks ${missing.join(', ')}`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
for (const failure of failures) process.stderr.write(`${failure}\n`)
process.exitCode = failures.length > 0 ? 1 : 0
