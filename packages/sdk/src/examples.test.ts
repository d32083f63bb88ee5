import { globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { type Data, newMerchant, useArtefact } from '#testing'
import * as sdk from './index.ts'

const service = useArtefact()
const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const RESOURCES = 'resources.ts'
const document: Data = JSON.parse(readFileSync(join(FOLDER, '../../../docs/derived/openapi.json'), 'utf8'))
const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (...args: unknown[]) => Promise<void>

/** The examples of the docstrings of a file. */
const examplesOf = (file: string): string[] =>
  [...readFileSync(join(FOLDER, file), 'utf8').matchAll(/^ *\* @example\n((?: *\* .*\n)+)/gm)].map(([, lines = '']) =>
    lines.replaceAll(/^ *\* /gm, ''),
  )

/** Runs an example, and compares what it prints with the comments behind its lines. */
async function run(code: string, context: Record<string, unknown>): Promise<void> {
  const printed: string[] = []
  const console = { log: (...values: unknown[]) => void printed.push(values.map(shown).join(' ')) }
  const given = { ...sdk, console, ...context }
  await new AsyncFunction(...Object.keys(given), `{\n${code}\n}`)(...Object.values(given))
  const expected = code
    .split('\n')
    .flatMap((line) => (line.includes('console.log(') ? [line.match(/ \/\/ (.+)$/)?.[1]] : []))
  for (const [index, text] of expected.entries()) if (text) expect(printed[index]).toBe(text)
}

const shown = (value: unknown): string =>
  typeof value === 'bigint'
    ? `${value}n`
    : Array.isArray(value)
      ? `[${value.map((each) => `'${each}'`).join(', ')}]`
      : String(value)

const written = globSync('**/*.ts', { cwd: FOLDER }).filter((file) => file !== RESOURCES && !file.endsWith('.test.ts'))

test.each(written.flatMap((file) => examplesOf(file).map((code) => ({ file, code }))))(
  'an example of $file runs against the service and prints what it says: $code',
  { timeout: 60_000 },
  async ({ code }) => {
    const { key } = await newMerchant(service)
    const payments = new sdk.Payments({ url: service.url, apiKey: key })
    const wallet = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
    // Something to list, to export and to follow.
    await payments.customers.create({ name: 'Ada Obi', email: 'ada.obi@example.com' })
    await payments.swaps.create({ fromCurrency: 'USDC', toCurrency: 'EURC', amount: '1', destinationAddress: wallet })
    const body = JSON.stringify({ id: 'evt', type: 'payment_route.deposit.updated', data: { status: 'completed' } })
    const headers = await sdk.webhooks.testHeaders(body, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=')
    const process = { env: { API_KEY: key } }
    await run(code.replaceAll('http://127.0.0.1:4000', service.url), {
      payments,
      wallet,
      process,
      request: { body, headers },
    })
  },
)

test('the example of each operation is the one of its reference: the same request, and a reply as the reference shows it', async () => {
  const server = await documentedService()
  onTestFinished(server.close)
  const payments = new sdk.Payments({ url: server.url, apiKey: 'svc_test_key', maxRetries: 0 })
  const examples = examplesOf(RESOURCES)
  for (const code of examples) await run(code, { payments })
  const operations = readFileSync(join(FOLDER, RESOURCES), 'utf8').match(/return this\.\w+\('/g) ?? []
  expect(examples.length).toBe(operations.length)
  expect(new Set(server.seen).size).toBe(examples.length)
})

test('every public function has an example', () => {
  const text = written.map((file) => readFileSync(join(FOLDER, file), 'utf8')).join('\n')
  for (const name of Object.keys(sdk)) {
    const declared = text.match(
      new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\nexport (?:class|const|function) ${name}\\b`),
    )?.[1]
    const hasOwn = declared?.includes('@example') || (name === 'webhooks' && examplesOf('webhooks.ts').length === 2)
    expect(hasOwn, name).toBe(true)
  }
})

/** A server that takes the requests of the reference's examples alone, and answers as its examples do. */
async function documentedService() {
  const seen: string[] = []
  const server = createServer(async (req, res) => {
    const body = (await Array.fromAsync(req)).join('')
    const [path = '', search = ''] = (req.url ?? '').replace(/^\/v1/, '').split('?')
    const found = Object.entries(document.paths).find(([template, item]) => {
      const pattern = new RegExp(
        `^${template.replaceAll(/\{\w+\}/g, '(?!export|stream)[\\w-]+').replaceAll('.', '\\.')}$`,
      )
      return pattern.test(path) && (item as Record<string, unknown>)[req.method?.toLowerCase() ?? '']
    })
    const operation = (found?.[1] as Record<string, Data>)?.[req.method?.toLowerCase() ?? '']
    const wanted = operation?.requestBody?.content?.['application/json']?.example
    const problem =
      JSON.stringify(wanted) !== (body === '' ? undefined : JSON.stringify(JSON.parse(body))) ||
      [...new URLSearchParams(search).keys()].some(
        (name) => !operation?.parameters?.some((each: Data) => each.name === name),
      )
    const [status = '500', reply] = Object.entries(operation?.responses ?? {})[0] ?? []
    const [[type, content] = ['', undefined]] = Object.entries(
      (reply as { content?: Record<string, { example?: unknown }> })?.content ?? {},
    )
    seen.push(`${req.method} ${found?.[0]}`)
    if (!operation || problem) res.writeHead(422).end(`${req.method} ${req.url} ${body}`)
    else
      res
        .writeHead(Number(status), { 'content-type': type })
        .end(content?.example ? JSON.stringify(content.example) : 'id\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()),
  }
}
