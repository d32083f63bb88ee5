import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Guide, guides } from '@payments/documentation'
import { afterAll, expect, test } from 'vitest'
import { freePort, hasTools, type Merchant, mailedCode, newMerchant, useArtefact } from '#testing'
import { buildGo, type GoPrograms } from './go.ts'
import { goSession, languages, runTranslations, translated, wordsOf } from './languages.ts'
import { at, nameOf, type Place, runSamples } from './run.ts'
import { blocksOf, matches, type Sample, samplesOf } from './samples.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
/** The language of each receiver, with its port: they run at the same time. */
const receivers = [
  { language: 'ts', start: 'node receiver.ts', port: await freePort() },
  { language: 'python', start: 'python3 receiver.py', port: await freePort() },
  { language: 'php', start: 'php -S 127.0.0.1:9000 receiver.php', port: await freePort() },
  { language: 'go', start: 'go run receiver.go', port: await freePort() },
] as const
const portOf = (language: string): number =>
  receivers.find((each) => each.language === language)?.port ?? receivers[0].port
const service = useArtefact({
  settings: { WEBHOOK_DEV_TARGETS: receivers.map(({ port }) => `http://127.0.0.1:${port}`).join(',') },
})
const present = hasTools('bash', 'curl', 'jq', 'openssl', 'python3')
const tools = { php: hasTools('php'), go: hasTools('go', 'gofmt') }
const isInstalled = (language: string): boolean => (language === 'php' || language === 'go' ? tools[language] : true)

let created: Promise<unknown> = Promise.resolve()
/** A merchant. They are made one after another: the pool of a busy machine has no room for all of them at once. */
function merchant(): Promise<Merchant> {
  const next = created.then(() => newMerchant(service))
  created = next.catch(() => undefined)
  return next
}

const place = async (guide: Guide, language = 'ts'): Promise<Place> => ({
  url: service.url,
  receiverPort: portOf(language),
  env: { API_KEY: (await merchant()).key },
  ...(guide.source.includes('read -r') ? { answer: () => mailedCode(service.dataDir, 'ada@example.com', 30_000) } : {}),
})

/** A sample of the shell that printed something else fails with the difference. A program prints it in the notation of its language. */
function expectOutputs(printed: ReadonlyMap<Sample, string>): void {
  for (const [{ output, language }, text] of printed)
    if (output !== undefined && !(language === 'sh' ? matches(output, text) : matches(wordsOf(output), wordsOf(text))))
      expect([language, text.trim()]).toEqual([language, output])
}

/** As above, of samples of the shell in another language. */
function expectSameOutputs(printed: ReadonlyMap<Sample, string>): void {
  for (const [{ output }, text] of printed)
    if (output !== undefined && !matches(wordsOf(output), wordsOf(text))) expect(text.trim()).toBe(output)
}

let building: Promise<GoPrograms> | undefined
/** The programs in Go of all guides, which are built once. */
function goPrograms(): Promise<GoPrograms> {
  if (building) return building
  const here = { url: service.url, receiverPort: portOf('go') }
  const programs = guides().flatMap((guide) => {
    const samples = samplesOf(guide)
    const session = goSession(samples, here)
    return [
      ...(session === undefined ? [] : [[sessionOf(guide), session] as const]),
      ...samples.flatMap(({ language, file, code }) =>
        language === 'go' && file ? [[nameOf(file), `${at(here, code)}\n`] as const] : [],
      ),
    ]
  })
  building = buildGo(new Map(programs))
  return building
}
const sessionOf = ({ name }: Guide): string => `guide_${name.replaceAll('-', '_')}`
afterAll(async () => (await building)?.remove())

const withSamples = guides().filter((guide) => samplesOf(guide).length > 0)

// At the same time: each is a merchant of its own, and most of what a sample does is wait.
test.runIf(present).concurrent.for(withSamples)(
  'the samples of the guide "$title" do and print what it says, in every language',
  { timeout: 300_000 },
  async (guide) => {
    const samples = samplesOf(guide).filter(({ language }) => isInstalled(language))
    const others = translated(samples).length > 0 ? languages.filter(isInstalled) : []
    const commandOf = tools.go ? (await goPrograms()).commandOf : () => []
    // A receiver is there in several languages, and the shell samples start the first.
    const isReceiver = samples.some(({ file = '' }) => file.startsWith('receiver.'))
    const inAnother = (own: Place, language: string, start: string) => (script: string) =>
      script.replace(receivers[0].start, language === 'go' ? commandOf('receiver').join(' ') : at(own, start))
    await Promise.all([
      place(guide).then(async (own) => expectOutputs(await runSamples(samples, own, commandOf))),
      ...others.map(async (language) =>
        expectSameOutputs(await runTranslations(samples, language, await place(guide), commandOf(sessionOf(guide)))),
      ),
      ...(isReceiver ? receivers.slice(1).filter(({ language }) => isInstalled(language)) : []).map(
        async ({ language, start }) => {
          const own = await place(guide, language)
          expectOutputs(await runSamples(samples, own, commandOf, inAnother(own, language, start)))
        },
      ),
    ])
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
    'reconciliation: export',
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
