import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call, hasTools, newMerchant, useArtefact } from '#testing'
import { run } from './run.ts'

const service = useArtefact()
const RUNS: Readonly<Record<string, { tool: string; file: string; command: readonly string[] }>> = {
  sh: { tool: 'bash', file: 'sample.sh', command: ['bash', 'sample.sh'] },
  ts: { tool: process.execPath, file: 'sample.ts', command: [process.execPath, 'sample.ts'] },
  python: { tool: 'python3', file: 'sample.py', command: ['python3', 'sample.py'] },
  php: { tool: 'php', file: 'sample.php', command: ['php', 'sample.php'] },
  go: { tool: 'go', file: 'sample.go', command: ['go', 'run', 'sample.go'] },
}

/** The text of a part of a page: tags removed, characters decoded. */
const textOf = (html: string): string =>
  html
    .replace(/<[^>]+>/g, '')
    .replace(/&#(x?)(\w+);/g, (_, hex: string, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, hex ? 16 : 10)),
    )
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

// One that sends a body, and one that receives a list: what the generator writes differs by nothing else.
test.concurrent.for(Object.entries(RUNS))(
  'the samples of the reference run in %s',
  { timeout: 120_000 },
  async ([language, { tool, file, command }]) => {
    if (!hasTools(tool)) return
    const { key, call: send } = await newMerchant(service)
    for (const operation of ['customers.create', 'customers.list']) {
      const { text } = await call(service, `GET /docs/reference/${operation}`)
      const [, code = ''] = text.match(new RegExp(`<figure class="code ${language}">.*?<code>(.*?)</code>`, 's')) ?? []
      const folder = mkdtempSync(join(tmpdir(), 'payments-sample-'))
      try {
        writeFileSync(join(folder, file), textOf(code).replaceAll('http://127.0.0.1:4000', service.url))
        const [program = '', ...args] = command
        const env = { API_KEY: key, GOCACHE: join(homedir(), '.cache', 'go-build') }
        const printed = await run(program, args, folder, { env })
        expect(printed.replaceAll(`'`, '"')).toContain('ada@example.com')
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }
    expect((await send('GET /v1/customers')).body.data.total).toBe(1)
  },
)
