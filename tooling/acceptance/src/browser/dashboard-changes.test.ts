import { newId } from '@payments/kernel'
import type { Browser, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumCommand, hasTools, newMerchant, newOfframp, suspenseOf, useArtefact } from '#testing'
import { startChromium } from './chromium.ts'
import { startNetwork } from './test/network.ts'
import { openDashboard, PATIENCE, STORY_MS } from './test/signed-in.ts'

const OPERATOR = 'operator@example.com'
const service = useArtefact({ settings: { OPERATOR_EMAILS: OPERATOR } })
const sql = (text: string, values: unknown[] = []) => service.runtime.pool.query(text, values)

/** How long changes do not end. */
const BUSY_MS = 20_000
const BETWEEN_CHANGES_MS = 20
/** Calls that a tab may make at once, and after that in a second: a third of the default limit of a session. */
const BURST = 30
const A_SECOND = 1
/** How long nothing changes, by the clock of the tab. */
const QUIET_SECONDS = 300

/** Waits until a stream that opens now begins after all events of the organisation. */
const fannedOut = (organisationId: string) =>
  expect
    .poll(
      async () =>
        (
          await sql('select count(*)::int as n from events where organisation_id = $1 and position is null', [
            organisationId,
          ])
        ).rows[0]?.n,
      { timeout: PATIENCE },
    )
    .toBe(0)

/** Holds the streams of a page until they are let go. */
async function holdStreams(page: Page): Promise<{ held: () => number; release: () => void }> {
  const released = Promise.withResolvers<void>()
  let held = 0
  await page.route(/\/dashboard\/api\/(events|changes)/, async (route) => {
    held += 1
    await released.promise
    await route.continue()
  })
  return { held: () => held, release: () => released.resolve() }
}

/** The reads of a call, each of a batch by itself, as the service counts them: procedure and input. */
function readsOf(request: Request): string[] {
  const { pathname, searchParams } = new URL(request.url())
  const procedures = pathname.match(/\/dashboard\/api\/trpc\/(.+)/)?.[1]?.split(',') ?? []
  const inputs = JSON.parse(searchParams.get('input') ?? '{}')
  return procedures.map((procedure, index) => `${procedure} ${JSON.stringify(inputs[index] ?? {})}`)
}

const emit = (organisationId: string) =>
  sql(
    `insert into events (id, organisation_id, environment, type, resource_id, payload, created_at)
     values ($1, $2, 'test', 'payment_route.created', $1, '{}', now())`,
    [newId(), organisationId],
  )

const HIDDEN = (state: 'hidden' | 'visible') =>
  `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`

describe.runIf(hasTools(chromiumCommand()))('a tab that follows changes in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test(
    'of the dashboard shows what changed between its first read and the opening of its stream',
    async () => {
      const merchant = await newMerchant(service)
      const { organisationId } = merchant
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      const streams = await holdStreams(page)
      await page.goto(`${service.url}/dashboard/test/transactions`)
      await page.getByRole('heading', { name: 'No transactions yet' }).waitFor({ timeout: PATIENCE })
      await expect.poll(streams.held, { timeout: PATIENCE }).toBeGreaterThan(0)
      await newOfframp(merchant)
      await fannedOut(organisationId)
      streams.release()
      await page.getByRole('button', { name: 'Show 1 new' }).waitFor({ timeout: PATIENCE })
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'of the console shows what changed long before the opening of its stream, after its first read',
    async () => {
      const { organisationId } = await newMerchant(service)
      const { context, page, problems } = await openDashboard(browser, service, { role: 'operator', email: OPERATOR })
      const streams = await holdStreams(page)
      // Nothing of it is read by the clock.
      await page.goto(`${service.url}/console/search?text=${organisationId}`)
      const found = page.getByRole('region', { name: 'Found organisations' })
      await found.getByRole('link').waitFor({ timeout: PATIENCE })
      await expect.poll(streams.held, { timeout: PATIENCE }).toBeGreaterThan(0)
      await sql('update organisations set name = $2 where id = $1', [organisationId, 'Renamed Ltd'])
      // Longer than the service announces a change of before.
      await page.waitForTimeout(6000)
      streams.release()
      await found.getByRole('link', { name: 'Renamed Ltd' }).waitFor({ timeout: PATIENCE })
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'shows what happened while the network was lost, and follows on, although the last event that it has was purged',
    async () => {
      const merchant = await newMerchant(service)
      const { organisationId } = merchant
      await newOfframp(merchant)
      await fannedOut(organisationId)
      const network = await startNetwork(service.url)
      const { context, page } = await openDashboard(browser, service, { organisationId, role: 'member' })
      const opened = () =>
        page.waitForResponse((reply) => reply.url().includes('/dashboard/api/events') && reply.ok(), {
          timeout: PATIENCE,
        })
      const first = opened()
      await page.goto(`${network.url}/dashboard/test/transactions`)
      await page.getByText('1 transaction', { exact: true }).waitFor({ timeout: PATIENCE })
      await first
      network.lose()
      await newOfframp(merchant)
      await fannedOut(organisationId)
      await sql('delete from events where organisation_id = $1', [organisationId])
      const again = opened()
      network.restore()
      await page.getByRole('button', { name: 'Show 1 new' }).waitFor({ timeout: PATIENCE })
      await again
      await newOfframp(merchant)
      await page.getByRole('button', { name: 'Show 2 new' }).waitFor({ timeout: PATIENCE })
      await context.close()
      await network.close()
    },
    STORY_MS,
  )

  test(
    'reads no list twice at a time or within a second, and less than the limit of its session allows, while changes do not end',
    async () => {
      const { organisationId } = await newMerchant(service)
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      const begun = new Map<string, number[]>()
      const inFlight = new Map<string, number>()
      let calls = 0
      let most = 0
      page.on('request', (request) => {
        for (const name of readsOf(request)) {
          calls += 1
          inFlight.set(name, (inFlight.get(name) ?? 0) + 1)
          most = Math.max(most, inFlight.get(name) ?? 0)
        }
      })
      page.on('requestfinished', (request) => {
        for (const name of readsOf(request)) {
          inFlight.set(name, (inFlight.get(name) ?? 0) - 1)
          // By the clock of the browser: a busy machine tells this process late.
          begun.set(name, [...(begun.get(name) ?? []), request.timing().startTime])
        }
      })
      // Seven reads at a time.
      await page.goto(`${service.url}/dashboard/test`)
      await page.getByRole('region', { name: 'First steps' }).waitFor({ timeout: PATIENCE })
      // After what the opening of the stream reads.
      await page.waitForTimeout(1500)
      calls = 0
      begun.clear()
      const start = performance.now()
      while (performance.now() - start < BUSY_MS) {
        await emit(organisationId)
        await new Promise((resolve) => setTimeout(resolve, BETWEEN_CHANGES_MS))
      }
      const seconds = (performance.now() - start) / 1000
      expect(calls).toBeGreaterThan(BURST / 2)
      // A round may begin with the last call that is left.
      expect(calls).toBeLessThan(BURST + A_SECOND * seconds + 8)
      expect(most).toBe(1)
      for (const times of begun.values())
        for (const [index, time] of times.entries())
          if (index > 0) expect(time - (times[index - 1] ?? 0)).toBeGreaterThan(900)
      // What happened last is shown.
      await page.getByText('of 4 done').waitFor()
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'of the console asks less and less often for what no stream tells, and shows it',
    async () => {
      const { organisationId } = await newMerchant(service)
      const { context, page, problems } = await openDashboard(browser, service, { role: 'operator', email: OPERATOR })
      await page.clock.install()
      await page.goto(`${service.url}/console/suspense`)
      await page.getByRole('heading', { name: 'Balances in suspense' }).waitFor({ timeout: PATIENCE })
      const read: string[] = []
      const open = new Set<Request>()
      page.on('request', (request) => {
        const names = readsOf(request)
        read.push(...names)
        if (names.length > 0) open.add(request)
      })
      page.on('requestfinished', (request) => open.delete(request))
      page.on('requestfailed', (request) => open.delete(request))
      /** The clock of the page is faster than the service: each second begins when the page has what it asked for. */
      const pass = async (seconds: number, isOver = async () => false) => {
        for (let second = 0; second < seconds && !(await isOver()); second++) {
          await page.clock.runFor(1000)
          while (open.size > 0) await page.waitForTimeout(5)
        }
      }
      /** From now on the clock goes with `pass` alone: on a busy machine seconds of the machine pass meanwhile. */
      const pause = async () => page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1000)
      await pause()
      await pass(QUIET_SECONDS)
      const reads = read.filter((name) => name.startsWith('admin.ledger.suspense ')).length
      // 60 by a clock of five seconds. What tests before this one began may still tell of changes.
      expect(reads).toBeGreaterThan(4)
      expect(reads).toBeLessThan(25)
      await suspenseOf(service.runtime, organisationId, 5_000_000n)
      const own = page.getByRole('row').filter({ hasText: organisationId.slice(-8) })
      await pass(90, async () => (await own.count()) > 0)
      await own.waitFor({ timeout: PATIENCE })
      // What does not change without a word is not asked for by the clock. What the other tests of this file changed is not told.
      await page.clock.resume()
      const streams = await holdStreams(page)
      await page.goto(`${service.url}/console/settings`)
      await page.getByRole('heading', { name: 'Settings in force' }).waitFor({ timeout: PATIENCE })
      await expect.poll(streams.held, { timeout: PATIENCE }).toBeGreaterThan(0)
      await pause()
      // By the clock of the page its stream is silent after 45 s. It is opened anew, and what is shown is read; then not for as long.
      read.length = 0
      await pass(60, async () => read.length > 0)
      await pass(5)
      read.length = 0
      await pass(35)
      expect(read).toEqual([])
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test.each([
    { of: 'the dashboard', role: 'member', start: '/dashboard/test/transactions', shows: 'Transactions' },
    { of: 'the console', role: 'operator', start: '/console/queues', shows: 'Schedules' },
  ] as const)(
    'of $of reads nothing while it is hidden, and what it shows when it is shown again',
    async ({ role, start, shows }) => {
      const { organisationId } = await newMerchant(service)
      const as = role === 'operator' ? { role, email: OPERATOR } : { role, organisationId }
      const { context, page, problems } = await openDashboard(browser, service, as)
      await page.clock.install()
      await page.goto(`${service.url}${start}`)
      await page.getByRole('heading', { name: shows, exact: true }).waitFor({ timeout: PATIENCE })
      await page.clock.runFor(5000)
      await page.evaluate(HIDDEN('hidden'))
      await page.waitForTimeout(1000)
      const read: string[] = []
      page.on('request', (request) => read.push(...readsOf(request)))
      for (let change = 0; change < 4; change++) {
        await emit(organisationId)
        await page.waitForTimeout(400)
        await page.clock.fastForward(60_000)
      }
      expect(read).toEqual([])
      await page.evaluate(HIDDEN('visible'))
      await page.clock.runFor(1000)
      await expect.poll(() => read.length, { timeout: PATIENCE }).toBeGreaterThan(0)
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )
})
