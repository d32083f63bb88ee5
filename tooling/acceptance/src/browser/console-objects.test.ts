import type { Browser, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  call,
  chromiumCommand,
  enabledCustomer,
  hasTools,
  newCngn,
  newMerchant,
  newOfframp,
  signedIn,
  useArtefact,
} from '#testing'
import { startChromium } from './chromium.ts'
import { checkScreen, openDashboard, PATIENCE, STORY_MS } from './test/signed-in.ts'

const [OPERATOR, COLLEAGUE] = ['operator@example.com', 'colleague@example.com']
const service = useArtefact({ settings: { OPERATOR_EMAILS: `${OPERATOR},${COLLEAGUE}` } })
const sql = (text: string, values: unknown[] = []) => service.runtime.pool.query(text, values)

/** How long nothing changes before something does, and how long that may take to be shown, by the clock of the tab. */
const QUIET_SECONDS = 120
const SOON_SECONDS = 6

describe.runIf(hasTools(chromiumCommand()))("what the operators' console shows in Chromium", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test(
    'of an object is what the product calls its fields, amounts with their currency, and customers by name',
    async () => {
      const merchant = await newMerchant(service)
      const { organisationId } = merchant
      const customerId = await enabledCustomer(service.runtime, organisationId)
      const payin = await newCngn(merchant, 'payins', customerId)
      const offramp = await newOfframp(merchant, { amount: '1250', metadata: { orderId: '17' } })
      const { context, page, problems } = await openDashboard(browser, service, { role: 'operator', email: OPERATOR })
      const termsOf = async (id: string) => {
        await page.goto(`${service.url}/console/objects/${id}`)
        await page.getByText('As the API returns it').waitFor({ timeout: PATIENCE })
        return page.locator('.facts dt').allTextContents()
      }
      expect(await termsOf(payin.id)).toEqual(expect.arrayContaining(['Customer', 'Created', 'Changed']))
      await page.getByRole('link', { name: 'Ada Obi', exact: true }).waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'console-payin')
      const terms = await termsOf(offramp.id)
      expect(terms).toEqual(expect.arrayContaining(['Network', 'Receives', 'Name at the bank', 'Expires']))
      // A merchant named it.
      expect(terms.filter((term) => /[a-z][A-Z]|_/.test(term))).toEqual(['orderId'])
      await page.getByText('1,250 USDC').first().waitFor()
      await checkScreen(page, 'console-offramp')
      await page.goto(`${service.url}/console/queues`)
      await page.getByRole('cell', { name: 'Every 10 minutes' }).first().waitFor({ timeout: PATIENCE })
      await page.getByRole('cell', { name: 'Daily at 02:20 UTC' }).waitFor()
      const { page: merchants } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await merchants.goto(`${service.url}/dashboard/test/cngn/payins/${payin.id}`)
      await merchants.getByRole('link', { name: 'Ada Obi', exact: true }).waitFor({ timeout: PATIENCE })
      await merchants.context().close()
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'changes by itself within seconds, however long it stayed the same: provider health, queues, dead letters and approvals',
    async () => {
      const merchant = await newMerchant(service)
      const { accessToken: token } = await signedIn(service.runtime, { role: 'operator', email: COLLEAGUE })
      const { context, page, problems } = await openDashboard(browser, service, { role: 'operator', email: OPERATOR })
      let inFlight = 0
      const count = (request: Request, by: number) => {
        if (request.url().includes('/dashboard/api/trpc/')) inFlight += by
      }
      page.on('request', (request) => count(request, 1))
      page.on('requestfinished', (request) => count(request, -1))
      page.on('requestfailed', (request) => count(request, -1))
      /** The clock of the page is faster than the service: each second begins when the page has what it asked for. */
      const pass = async (seconds: number) => {
        for (let second = 0; second < seconds; second++) {
          await page.clock.runFor(1000)
          while (inFlight > 0) await page.waitForTimeout(5)
        }
      }
      /** Opens a screen, waits until it has long stayed the same, makes something happen, and lets a few seconds pass. */
      const watch = async (path: string, heading: string, happen: () => Promise<unknown>) => {
        await page.goto(`${service.url}/console/${path}`)
        await page.getByRole('heading', { name: heading, exact: true }).waitFor({ timeout: PATIENCE })
        await pass(QUIET_SECONDS)
        await happen()
        await pass(SOON_SECONDS)
      }
      await page.clock.install()

      // A provider fails.
      await sql(
        "insert into sandbox_faults (provider, mode, ends_at) values ('fiat', 'down', now() + interval '1 hour')",
      )
      await watch('providers', 'Rate budgets', async () => {
        await expect(newOfframp(merchant)).rejects.toThrow('503')
        const failed = () =>
          sql("select from provider_minutes where outcome = 'failed'").then(({ rowCount }) => rowCount)
        await expect.poll(failed).toBeGreaterThan(0)
      })
      const health = page.getByRole('region', { name: 'Calls by operation' })
      expect(await health.getByRole('row').filter({ hasText: 'fiat' }).locator('.status.bad').count()).toBeGreaterThan(
        0,
      )
      await sql('delete from sandbox_faults')

      // Another operator drains it, which the stream tells at once.
      await call(service, 'PATCH /v1/admin/ops/providers/sandbox', {
        ...{ token, key: null, body: { environment: 'test', state: 'draining', reason: 'Told by the stream' } },
      })
      await expect
        .poll(() => page.clock.runFor(500).then(() => page.getByText('draining', { exact: true }).count()), {
          timeout: PATIENCE,
        })
        .toBe(1)
      await checkScreen(page, 'console-draining')
      await sql('delete from provider_controls')

      await watch('dead-letters', 'No job has failed for good', () =>
        sql(
          `insert into pgboss.job (name, data, source_name, source_id, source_created_on, source_output)
           values ('dead-letter', '{}', 'accounts.mail', gen_random_uuid(), now(), '{"message":"connect ECONNREFUSED"}')`,
        ),
      )
      expect(await page.getByText('connect ECONNREFUSED').count()).toBe(1)
      await checkScreen(page, 'console-dead-letter')
      await watch('queues', 'Schedules', () => sql("delete from pgboss.job where name = 'dead-letter'"))
      const queue = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'dead-letter', exact: true }) })
      expect(await queue.getByRole('cell').allTextContents()).toEqual(['dead-letter', '0', '0', '0', '–'])
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )
})
