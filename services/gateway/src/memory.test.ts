import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort, startProcess, useService } from '#testing'

/**
 * Of V8's old generation: code and data that stay, 44 MiB now. The resident memory of the process also depends on the machine (its
 * cores, its allocator, what else runs), so `npm run bench -- memory` records it and no test judges it.
 */
const MOST_MEBIBYTES = 60
/** For invoices, emails, webhooks, calls of providers, the documentation and the embedded database. */
const LATER = [
  ...['pdfkit', 'fontkit', 'nodemailer', 'undici', 'cockatiel', '@solana/kit', '@solana-program/token', 'tweetnacl'],
  ...['@opentelemetry/sdk-trace', '@opentelemetry/exporter-trace-otlp-http'],
  ...['marked', 'trpc-to-openapi', 'zod-openapi', 'yaml', '@payments/embedded-postgres'],
]
/** The modules of an adapter that tell whether it is configured. */
const DECLARATION = /\/(index|settings|keys)\.ts$/

const service = useService()

async function started(settings: Record<string, string> = {}) {
  const process = await startProcess(service, { PROCESS_ROLE: 'all', ...settings })
  onTestFinished(() => process.stop())
  return process
}

test('a process loads a library when it first uses it, and of an adapter without settings only its declaration', async () => {
  const file = join(service.dataDir, 'modules')
  const recorder = `import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
registerHooks({ load: (url, context, next) => (appendFileSync(${JSON.stringify(file)}, url + '\\n'), next(url, context)) })`
  const modules = () => readFileSync(file, 'utf8').trim().split('\n').flatMap(partsOf)
  const later = () => LATER.filter((name) => modules().some((url) => url.includes(folderOf(name))))

  const { url } = await started({ NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(recorder)}` })
  expect(readFileSync(file, 'utf8')).toContain('/services/bundle/dist/')
  expect(later()).toEqual([])
  const adapters = modules().filter((module) => module.includes('/packages/providers/'))
  expect(adapters.length).toBeGreaterThan(0)
  expect(adapters.filter((module) => !DECLARATION.test(module))).toEqual([])

  for (const path of ['/v1/openapi.json', '/docs/operators.json', '/docs', '/llms.txt'])
    expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200])
  // The documents are derived before, so that nothing of what derives them is loaded.
  expect(later()).toEqual(['marked'])
})

/** The modules of a file that was loaded: those that a file of the bundle is made of, or itself. */
function partsOf(url: string): string[] {
  const map = new URL(`${url}.map`)
  if (!url.includes('/services/bundle/dist/') || !existsSync(map)) return [url]
  const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] }
  return sources.map((source) => new URL(source, url).href)
}

/** Packages of this repository are loaded from their own folders. */
const folderOf = (name: string): string =>
  name.startsWith('@payments/') ? `/packages/${name.slice(10)}/` : `/node_modules/${name}/`

test('what an idle process that serves and works keeps in memory is less than 60 MiB', async () => {
  const port = String(await freePort())
  await started({ INTERNAL_PORT: port })
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const kept = Number(metrics.match(/^nodejs_heap_space_size_used_bytes\{space="old"\} (\S+)$/m)?.[1]) / 2 ** 20
  expect(kept).toBeGreaterThan(10)
  expect(kept).toBeLessThan(MOST_MEBIBYTES)
})
