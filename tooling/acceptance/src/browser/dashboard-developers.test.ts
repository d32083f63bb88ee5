import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '@payments/cli'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { call, chromiumCommand, hasTools, newMerchant, newRoute, useArtefact } from '#testing'
import { startChromium } from './chromium.ts'
import { checkScreen, openDashboard, PATIENCE, STORY_MS } from './test/signed-in.ts'

const service = useArtefact()

describe.runIf(hasTools(chromiumCommand()))('engineers in the dashboard', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test(
    'an engineer finds a failed request, reads what was sent and answered without personal data, and the events of what succeeded',
    async () => {
      const merchant = await newMerchant(service)
      const { organisationId } = merchant
      const headers = { 'x-request-id': 'checkout-7f3a', 'user-agent': '<b>shop</b>/1' }
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/requests`)
      await page.getByRole('heading', { name: 'No requests yet' }).waitFor()
      await checkScreen(page, 'requests-none')
      await merchant.call('POST /v1/webhooks', { body: { url: 'https://merchant.example/hooks' } })
      await merchant.call('POST /v1/customers', { body: { name: 'Ada Obi', email: 'ada@example.com' } })
      await merchant.call('POST /v1/customers', { body: { name: 'Ada Obi', email: 'none' }, headers })
      // The list renews itself.
      const rows = page.getByRole('region', { name: 'Requests' }).getByRole('row')
      await expect.poll(() => rows.count(), { timeout: PATIENCE }).toBe(4)
      await checkScreen(page, 'requests')
      await page.locator('summary').filter({ hasText: 'Status' }).click()
      for (const name of ['Refused (4xx)', 'Failed (5xx)']) await page.getByRole('checkbox', { name }).check()
      await page.keyboard.press('Escape')
      // By keys alone: open, choose, close, and be where one was.
      await page.locator('summary').filter({ hasText: 'Method' }).focus()
      for (const key of ['Enter', 'Tab', 'Tab', 'Space', 'Tab', 'Tab', 'Tab', 'Space', 'Escape'])
        await page.keyboard.press(key)
      expect(
        await page.evaluate("[document.activeElement.tagName, document.activeElement.parentElement.open].join(' ')"),
      ).toBe('SUMMARY false')
      await page.getByText('1 request', { exact: true }).waitFor()
      expect(new URL(page.url()).search).toBe('?status=refused%2Cfailed&method=POST%2CDELETE')
      await page.getByRole('link', { name: 'POST /v1/customers' }).click()
      await page.getByText('checkout-7f3a').waitFor()
      const body = (name: string) => page.getByRole('region', { name }).locator('pre').textContent()
      expect(JSON.parse((await body('Request body')) ?? '')).toEqual({ name: '[redacted]', email: '[redacted]' })
      expect(JSON.parse((await body('Reply')) ?? '')).toMatchObject({ message: 'Validation failed', data: null })
      expect(await page.content()).not.toContain('Ada Obi')
      await page.getByText('<b>shop</b>/1').waitFor()
      await checkScreen(page, 'request')
      await page.goBack()
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByLabel('Find a request').fill('checkout-7f3a')
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByText('1 request', { exact: true }).waitFor()
      await page.getByLabel('Find a request').fill('unknown')
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('heading', { name: 'No request fits these filters' }).waitFor()
      await page.goto(`${service.url}/dashboard/test/requests/none`)
      await page.getByText('Request not found').waitFor()

      await newRoute(merchant)
      await page.getByRole('link', { name: 'Events', exact: true }).click()
      await page.getByRole('region', { name: 'Events' }).getByRole('link').first().waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'events')
      await page.getByRole('region', { name: 'Events' }).getByRole('link').first().click()
      await page.getByText('As the API returns it').click()
      expect(await page.locator('.raw pre').textContent()).toContain('"type"')
      await checkScreen(page, 'event')
      await page.goto(`${service.url}/dashboard/live/requests`)
      await page.getByRole('heading', { name: 'No requests yet' }).waitFor()
      // The request that does not exist. It is read again when something changes while it is shown.
      expect(problems.length).toBeGreaterThan(0)
      expect(problems.filter((problem) => !problem.includes('404'))).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'an engineer disables an endpoint and enables it, sends what it missed, rotates its secret and deletes it',
    async () => {
      const merchant = await newMerchant(service)
      const { organisationId } = merchant
      await merchant.call('POST /v1/webhooks', { body: { url: 'https://merchant.example/hooks' } })
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/webhooks`)
      await page.getByRole('link', { name: 'https://merchant.example/hooks' }).click()
      await page.getByRole('button', { name: 'Disable' }).click()
      await page.getByRole('button', { name: 'Disable the endpoint' }).click()
      await page.getByRole('button', { name: 'Enable' }).waitFor()
      expect(await page.getByRole('button', { name: 'Send a test event' }).count()).toBe(0)
      await newRoute(merchant)
      await page.getByRole('button', { name: 'Enable' }).click()
      await page.getByRole('button', { name: 'Send missed events' }).click()
      await page.getByRole('button', { name: 'Count them' }).click()
      const send = page.getByRole('button', { name: /^Send \d+ events?$/ })
      await send.waitFor()
      await checkScreen(page, 'missed-events')
      await send.click()
      await page.getByText(/^\d+ of \d+ are being sent, the oldest first\.$/).waitFor()
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByText('payment_route.created').waitFor({ timeout: PATIENCE })
      await page.getByRole('button', { name: 'Rotate the secret' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Rotate the secret' }).click()
      expect(await dialog.locator('.secret').textContent()).toMatch(/^whsec_/)
      await page.getByRole('button', { name: 'Close' }).click()
      await checkScreen(page, 'endpoint-actions')
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('button', { name: 'Delete the endpoint' }).click()
      await page.getByRole('heading', { name: 'Get every event' }).waitFor()
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'an engineer signs the command line in by typing its code and choosing what its key may do, refuses another one, and revokes the key; no link fills the code in',
    async () => {
      const { organisationId } = await newMerchant(service)
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'owner' })
      const [allowed, refused] = [commandLine(), commandLine()]
      const code = await allowed.code()
      expect(allowed.printed.join('')).toContain(`Enter it at ${service.url}/dashboard/cli`)
      const asked: string[] = []
      page.on(
        'request',
        (request) => void (/auth\.(find|approve)Device/.test(request.url()) && asked.push(request.url())),
      )
      // A stranger sends a link with the code of another command line.
      await page.goto(`${service.url}/dashboard/cli?code=${code}`)
      await page.getByRole('button', { name: 'Continue' }).waitFor()
      expect(new URL(page.url()).pathname).toBe('/dashboard/test/cli')
      expect([
        await page.getByLabel('Code').inputValue(),
        await page.getByRole('button', { name: 'Allow' }).count(),
      ]).toEqual(['', 0])
      await page.getByRole('button', { name: 'Continue' }).click()
      expect([asked, await page.getByText(code).count()]).toEqual([[], 0])
      const enter = async (text: string) => {
        await page.getByLabel('Code').fill(text)
        await page.getByRole('button', { name: 'Continue' }).click()
      }
      await enter('WDJB-MJHT')
      await page.getByText('No program waits with this code').waitFor()
      await page.getByRole('button', { name: 'Enter another code' }).click()
      await enter(code)
      await page.getByText('This command line asks for a key of').waitFor()
      await checkScreen(page, 'command-line')
      await page.getByLabel('Access').selectOption('read')
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.getByText('Allowed. Go back to your terminal').waitFor()

      await page.goto(`${service.url}/dashboard/cli`)
      await enter((await refused.code()).toLowerCase().replace('-', ''))
      await page.getByRole('button', { name: 'Refuse' }).click()
      await page.getByText('Refused. The command line gets no key.').waitFor()

      expect([await allowed.ended, await refused.ended]).toEqual([0, 1])
      expect(refused.printed.join('')).toContain('access_denied')
      expect(allowed.printed.join('')).toContain('(test)')
      const { keys } = JSON.parse(readFileSync(join(allowed.folder, 'config.json'), 'utf8'))
      const apiKey = keys[service.url]
      expect(existsSync(join(refused.folder, 'config.json'))).toBe(false)
      const customers = () => call(service, 'GET /v1/customers', { token: apiKey })
      expect((await customers()).status).toBe(200)
      expect(allowed.printed.join('')).not.toContain(apiKey)
      await page.goto(`${service.url}/dashboard/test/keys`)
      await page.getByRole('button', { name: /^Revoke Command line on/ }).click()
      await page.getByRole('button', { name: 'Revoke the key' }).click()
      await page.getByText('revoked').waitFor()
      expect((await customers()).status).toBe(401)
      // No program waited with the first code.
      expect(problems).toEqual([expect.stringContaining('404')])
      await context.close()
    },
    STORY_MS,
  )
})

/** A command line of a person, which signs in. */
function commandLine() {
  const folder = mkdtempSync(join(tmpdir(), 'payments-login-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const printed: string[] = []
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const ended = run(['login', '--url', service.url], {
    env: { PAYMENTS_CONFIG_DIR: folder },
    signal: stop.signal,
    out: (text) => printed.push(text),
    err: (text) => printed.push(text),
    write: async () => undefined,
  })
  const code = async () => {
    await expect.poll(() => printed.join(''), { timeout: PATIENCE }).toContain('Your code is ')
    return printed.join('').match(/Your code is ([A-Z]{4}-[A-Z]{4})/)?.[1] ?? ''
  }
  return { folder, printed, ended, code }
}
