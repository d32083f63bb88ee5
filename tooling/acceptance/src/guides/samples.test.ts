import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Guide, guides } from '@payments/gateway'
import { expect, test } from 'vitest'
import { freePort, hasTools, mailedCode, newMerchant, useService } from '#testing'
import { languages, runTranslations, translated, wordsOf } from './languages.ts'
import { type Place, runSamples } from './run.ts'
import { blocksOf, matches, type Sample, samplesOf } from './samples.ts'

const root = new URL('../../../../', import.meta.url).pathname
const receiverPort = await freePort()
const service = useService({
  worker: true,
  settings: { WEBHOOK_DEV_TARGETS: `http://127.0.0.1:${receiverPort}` },
})
const present = hasTools('bash', 'curl', 'jq', 'openssl', 'python3')

const place = async (guide: Guide): Promise<Place> => ({
  url: service.url,
  receiverPort,
  env: { API_KEY: (await newMerchant(service)).key },
  ...(guide.source.includes('read -r') ? { answer: () => mailedCode(service.dataDir, 'ada@example.com', 15_000) } : {}),
})

/** A sample that printed something else fails with the difference. */
function expectOutputs(printed: ReadonlyMap<Sample, string>): void {
  for (const [{ output }, text] of printed)
    if (output !== undefined && !matches(output, text)) expect(text.trim()).toBe(output)
}

/** As above, in the notation of another language. */
function expectSameOutputs(printed: ReadonlyMap<Sample, string>): void {
  for (const [{ output }, text] of printed)
    if (output !== undefined && !matches(wordsOf(output), wordsOf(text))) expect(text.trim()).toBe(output)
}

const withSamples = guides().filter((guide) => samplesOf(guide).length > 0)

// At the same time: each is a merchant of its own, and most of what a sample does is wait. One guide alone has a receiver.
test.runIf(present).concurrent.for(withSamples)(
  'the samples of the guide "$title" do and print what it says, in every language',
  { timeout: 120_000 },
  async (guide) => {
    const samples = samplesOf(guide)
    const others = translated(samples).length > 0 ? languages : []
    await Promise.all([
      place(guide).then(async (own) => expectOutputs(await runSamples(samples, own))),
      ...others.map(async (language) =>
        expectSameOutputs(await runTranslations(samples, language, await place(guide))),
      ),
    ])
    // A receiver is there in two languages, and the shell samples start the first.
    if (!samples.some(({ file }) => file === 'receiver.py')) return
    const inPython = (script: string) => script.replace('node receiver.ts', 'python3 receiver.py')
    expectOutputs(await runSamples(samples, await place(guide), inPython))
  },
)

test('every guide has samples that are run', () => {
  expect(withSamples.map(({ name }) => name)).toEqual(guides().map(({ name }) => name))
})

test('every request with a key is shown in every language, but those for which the shell itself is the point', () => {
  const rest = guides().flatMap((guide) => {
    const samples = samplesOf(guide)
    const shown = new Set(translated(samples).map(({ sample }) => sample))
    return samples
      .filter((sample) => sample.language === 'sh' && sample.code.includes('$API_KEY') && !shown.has(sample))
      .map(({ code }) => `${guide.name}: ${code.match(/-D headers|RANDOM|receiver.ts|date -u|export|sync/)?.[0]}`)
  })
  expect(rest.toSorted()).toEqual([
    'errors: RANDOM',
    'idempotency: -D headers',
    'limits: export',
    'reconciliation: export',
    'sandbox: sync',
    'webhooks: date -u',
    'webhooks: receiver.ts',
  ])
})

test('the React component of the pay page guide is the example that runs in a browser', () => {
  const guide = guides().find(({ name }) => name === 'pay-page') as Guide
  const shown = blocksOf(guide).find(({ language }) => language === 'tsx')?.code
  expect(shown).toBe(readFileSync(join(root, 'examples/payment.tsx'), 'utf8').trim())
})

test('the webhook guide shows the verifier of each language, and a signature that is right', () => {
  const guide = guides().find(({ name }) => name === 'webhooks') as Guide
  const languages = new Set(
    blocksOf(guide).flatMap(({ language, code }) => (/verify\b.*\(/i.test(code) ? [language] : [])),
  )
  expect([...languages].sort()).toEqual(['go', 'php', 'python', 'ruby', 'sh', 'ts'])
  const sample = samplesOf(guide).find(({ code }) => code.includes('openssl'))
  const [, secret = '', timestamp = '', body = ''] =
    sample?.code.match(/SECRET=(\S+)\nTIMESTAMP=(\d+)\nBODY='(.*)'/) ?? []
  expect(sample?.output).toBe(createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'))
})

test('an output with … matches any text there, and nothing else', () => {
  expect(matches('id 0x…\nend', 'id 0xab\nend\n')).toBe(true)
  expect(matches('id 0x…\nend', 'id 0xab\nend\nmore')).toBe(false)
  expect(matches('a.c', 'abc')).toBe(false)
})
