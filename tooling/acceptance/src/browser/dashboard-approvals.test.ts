import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, chromiumCommand, enabledCustomer, hasTools, newMerchant, signedIn, useArtefact } from '#testing'
import { startChromium } from './chromium.ts'
import { checkScreen, openDashboard, PATIENCE, STORY_MS } from './test/signed-in.ts'

const service = useArtefact()

describe.runIf(hasTools(chromiumCommand()))('payouts with a second person in the dashboard', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test(
    'an owner requires an approval, cannot approve what they asked for, and a colleague finds and approves it',
    async () => {
      const merchant = await newMerchant(service)
      const { organisationId } = merchant
      const customerId = await enabledCustomer(service.runtime, organisationId, 5_000_000_000n)
      const first = await openDashboard(browser, service, { organisationId, role: 'owner' })
      await first.page.goto(`${service.url}/dashboard/test/settings/payments`)
      await first.page.getByRole('button', { name: 'Require approval' }).click()
      await first.page.getByLabel('From how much a day').fill('1,000')
      await checkScreen(first.page, 'require-approval')
      await first.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await first.page.getByText('or more wait for a second person').waitFor({ timeout: PATIENCE })
      const { accessToken, userId } = await signedIn(service.runtime, { organisationId, role: 'owner' })
      const made = await call(service, 'POST /v1/cngn/withdrawals', {
        ...{ token: accessToken, key: null },
        body: {
          ...{ customerId, amount: '2000', networkKey: 'base' },
          address: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
        },
      })
      expect(made.body.data?.approval, made.text).toMatchObject({ status: 'waiting', requestedBy: userId })
      const { id } = made.body.data
      // What waits is said where a member looks first, and in the lists.
      await first.page.goto(`${service.url}/dashboard/test`)
      const attention = first.page.getByRole('region', { name: 'Needs attention' })
      const line = attention.getByRole('listitem').filter({ hasText: 'waits for approval' })
      await line.waitFor({ timeout: PATIENCE })
      expect(await line.textContent()).toMatch(
        /^2,000 cNGN to Base .+ waits for approval: .+@.+ asked for it\. It fails if nobody approves it by \d/,
      )
      await checkScreen(first.page, 'overview-waiting-payout')
      for (const list of ['cngn/withdrawals', 'transactions']) {
        await first.page.goto(`${service.url}/dashboard/test/${list}`)
        await first.page.getByRole('table').getByText('waiting for approval').waitFor({ timeout: PATIENCE })
      }
      await first.page.goto(`${service.url}/dashboard/test/settings/payments`)
      const waiting = first.page.getByRole('list', { name: 'Payouts waiting for approval' })
      await waiting.getByText('Waiting for approval').waitFor({ timeout: PATIENCE })
      await checkScreen(first.page, 'waiting-payouts')
      await waiting.getByRole('link').click()
      await first.page.getByRole('heading', { name: 'Approval' }).waitFor({ timeout: PATIENCE })
      await checkScreen(first.page, 'waiting-payout')
      // Who asked for it cannot answer.
      await service.runtime.pool.query(
        'update cngn_transfers set approval_requested_by = (select id from users where email = $2) where id = $1',
        [id, first.email],
      )
      await first.page.reload()
      await first.page.getByText('another owner or finance member must answer').waitFor({ timeout: PATIENCE })
      expect(await first.page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
      const second = await openDashboard(browser, service, { organisationId, role: 'finance' })
      await second.page.goto(`${service.url}/dashboard/test/cngn/withdrawals/${id}`)
      await second.page.getByRole('button', { name: 'Approve' }).click()
      await second.page.getByText('A second person approved it.').waitFor({ timeout: PATIENCE })
      expect([...first.problems, ...second.problems]).toEqual([])
      await first.context.close()
      await second.context.close()
    },
    STORY_MS,
  )
})
