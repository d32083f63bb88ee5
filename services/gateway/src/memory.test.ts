import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { call, freePort, newCollection, newMerchant, startProcess, useService } from '#testing'

/**
 * Of V8's old generation: code and data that stay, 44 MiB now. The resident memory of the process also depends on the machine (its
 * cores, its allocator, what else runs), so `npm run bench -- memory` records it and no test judges it.
 */
const MOST_MEBIBYTES = 60
/** For invoices, emails, webhooks, calls of providers, the documentation and the embedded database. */
const LATER = [
  ...['fontkit', 'nodemailer', 'undici', 'cockatiel', '@solana/kit', '@solana-program/token', 'tweetnacl'],
  ...['@opentelemetry/sdk-trace', '@opentelemetry/exporter-trace-otlp-http'],
  ...['marked', 'trpc-to-openapi', 'zod-openapi', 'yaml', '@payments/embedded-postgres'],
]
/** A PNG of 16 pixels. */
const LOGO =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAALklEQVR4AZXBAQEAMAiAME4Mg728ZczA9uYvhUQSSSSRRBJJJJFEEkkkkUQSSXQmpQFrnpqUfQAAAABJRU5ErkJggg=='
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

  for (const path of [
    '/v1/openapi.json',
    '/docs/operators.json',
    '/docs',
    '/docs/reference/errors',
    '/docs/search?q=hash',
    '/llms.txt',
  ])
    expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200])
  // They are written when the service is built, so that nothing of what writes them is loaded.
  expect(later()).toEqual([])
})

test('what makes documents and decodes images is loaded in threads alone, never where requests are answered', async () => {
  const file = join(service.dataDir, 'modules-of-threads')
  const recorder = `import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { isMainThread } from 'node:worker_threads'
const thread = isMainThread ? 'main ' : 'thread '
registerHooks({ load: (url, context, next) => (appendFileSync(${JSON.stringify(file)}, thread + url + '\\n'), next(url, context)) })`
  const { url } = await started({ NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(recorder)}` })
  const merchant = await newMerchant(service)
  const own = { url }
  const put = await call(own, 'PUT /v1/branding/logo', { token: merchant.key, body: { image: LOGO } })
  const { id } = await newCollection(merchant, { type: 'invoice', amount: '10' })
  const made = await fetch(`${url}/v1/collections/${id}/invoice.pdf`, {
    headers: { authorization: `Bearer ${merchant.key}` },
  })
  expect([put.status, made.status, made.headers.get('content-type')]).toEqual([200, 200, 'application/pdf'])
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const loadedIn = (thread: string) => {
    const modules = lines.flatMap((line) => (line.startsWith(thread) ? partsOf(line.slice(thread.length)) : []))
    return ['fontkit', 'pngjs', 'jpeg-js'].filter((name) => modules.some((each) => each.includes(folderOf(name))))
  }
  expect([loadedIn('main '), loadedIn('thread ')]).toEqual([[], ['fontkit', 'pngjs', 'jpeg-js']])
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
