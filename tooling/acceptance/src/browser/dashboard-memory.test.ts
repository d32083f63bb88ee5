import { newId } from '@payments/kernel'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumCommand, hasTools, newMerchant, sized, useArtefact } from '#testing'
import { startChromium } from './chromium.ts'
import { openDashboard, PATIENCE } from './test/signed-in.ts'
import { insertTransactions } from './test/transactions.ts'

const OPERATOR = 'operator@example.com'
const service = useArtefact({
  settings: { RATE_LIMIT_DASHBOARD: '1000000', OPERATOR_EMAILS: OPERATOR },
})

/** Rows of a list, in pages of 200 after a first one of 50. */
const ROWS = sized(10_050, 1850)
const [FIRST, PAGE, KEPT] = [50, 200, 3]
/** Half a minute each: a day in full. */
const CHANGES = sized(2880, 8)
/** Reads before the first measurement, and what may be more after the last. */
const WARM_UP = 4
const MORE_BYTES = 1_500_000
const MORE_NODES = 200
const LONGEST_MS = sized(1_800_000, 120_000)

/** What the tab holds when nothing is left to be collected: bytes of the heap, and nodes, those outside the document too. */
async function held(page: Page): Promise<{ bytes: number; nodes: number }> {
  const session = await page.context().newCDPSession(page)
  for (let times = 0; times < 2; times++) await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  const { nodes } = await session.send('Memory.getDOMCounters')
  await session.detach()
  return { bytes: usedSize, nodes }
}

const row = (page: Page, number: number) =>
  page.getByRole('link', { name: `${number.toLocaleString('en')} USDC`, exact: true })

describe.runIf(hasTools(chromiumCommand()))('an open tab of the dashboard', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test(
    'holds as much at the end of a list of thousands of transactions as near its beginning, and leads back',
    async () => {
      const merchant = await newMerchant(service)
      const { organisationId } = merchant
      await insertTransactions(service, merchant, ROWS)
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/transactions`)
      await row(page, FIRST).waitFor({ timeout: PATIENCE })
      const full = FIRST + KEPT * PAGE
      let begun: Awaited<ReturnType<typeof held>> | undefined
      let most = 0
      for (let last = FIRST + PAGE; last <= ROWS; last += PAGE) {
        await page.getByRole('button', { name: 'Show more' }).click()
        await row(page, last).waitFor({ timeout: PATIENCE })
        most = Math.max(most, await page.getByRole('row').count())
        if (last === full) begun = await held(page)
      }
      // With the heading.
      expect(most).toBe(KEPT * PAGE + 1)
      expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
      const ended = await held(page)
      expect(ended.nodes).toBeLessThan((begun?.nodes ?? 0) + MORE_NODES)
      expect(ended.bytes).toBeLessThan((begun?.bytes ?? 0) + MORE_BYTES)
      const from = ROWS - KEPT * PAGE + 1
      await page.getByText(`from ${from.toLocaleString('en')} to ${ROWS.toLocaleString('en')}`).waitFor()
      await page.getByRole('button', { name: 'Show newer' }).click()
      await row(page, from - PAGE).waitFor({ timeout: PATIENCE })
      expect(await page.getByRole('row').count()).toBe(KEPT * PAGE + 1)
      expect(problems).toEqual([])
      await context.close()
    },
    LONGEST_MS,
  )

  test.each([
    { of: 'transactions', role: 'member', path: 'dashboard/test/transactions', shows: 'No transactions yet' },
    // By its clock it is read every three seconds too.
    { of: 'the health of providers', role: 'operator', path: 'console/providers', shows: 'Rate budgets' },
  ] as const)(
    'that shows $of holds as much after a day of changes as after the first of them',
    async ({ role, path, shows }) => {
      const { organisationId } = await newMerchant(service)
      const as = role === 'operator' ? { role, email: OPERATOR } : { role, organisationId }
      const { context, page, problems } = await openDashboard(browser, service, as)
      await page.clock.install()
      await page.goto(`${service.url}/${path}`)
      await page.getByRole('heading', { name: shows, exact: true }).waitFor({ timeout: PATIENCE })
      let begun: Awaited<ReturnType<typeof held>> | undefined
      for (let change = 1; change <= WARM_UP + CHANGES; change++) {
        let isRead = false
        const read = page.waitForResponse(/transactions\.search|admin\.providers/, { timeout: PATIENCE }).then(() => {
          isRead = true
        })
        await service.runtime.pool.query(
          `insert into events (id, organisation_id, environment, type, resource_id, payload, created_at)
           values ($1, $2, 'test', 'payment_route.created', $1, '{}', now())`,
          [newId(), organisationId],
        )
        // The time of the tab goes on, until the stream has brought the change.
        for (let seconds = 0; seconds < 30 || !isRead; seconds += 5) await page.clock.runFor(5000)
        await read
        if (change === WARM_UP) begun = await held(page)
      }
      const ended = await held(page)
      expect(ended.nodes).toBeLessThan((begun?.nodes ?? 0) + MORE_NODES)
      expect(ended.bytes).toBeLessThan((begun?.bytes ?? 0) + MORE_BYTES)
      expect(problems).toEqual([])
      await context.close()
    },
    LONGEST_MS,
  )
})
