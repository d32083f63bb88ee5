import { readFileSync } from 'node:fs'
import { startReceiver } from '@payments/stand'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  call,
  chromiumCommand,
  fund,
  hasTools,
  type Merchant,
  mailedCode,
  newMerchant,
  newOfframp,
  newRoute,
  signedIn,
  suspenseOf,
  useArtefact,
} from '#testing'
import { startChromium } from './chromium.ts'
import { openWindow } from './page.ts'
import { checkScreen, openDashboard, PATIENCE, STORY_MS } from './test/signed-in.ts'

/** A test takes operators whom no other test, nor an attempt before it, has signed in. */
const operators = Array.from({ length: 20 }, (_, number) => `operator-${number}@example.com`)
/** Text that would be markup where it is not escaped. */
const HOSTILE = '<img src=x onerror=alert(1)>'

const receiver = await startReceiver({ answer: () => ({ status: 200, body: HOSTILE }) })
afterAll(() => receiver.close())
const service = useArtefact({
  settings: { OPERATOR_EMAILS: operators.join(), WEBHOOK_DEV_TARGETS: receiver.origin },
})
const nextOperator = (): string => {
  const email = operators.shift()
  if (!email) throw new Error('Every operator has been used')
  return email
}
const sql = (text: string, values: unknown[] = []) => service.runtime.pool.query(text, values)

/** An offramp whose deposit has arrived, and which its provider does not pay out while the story is told. */
async function inFlight(merchant: Merchant, amount: string): Promise<string> {
  const { id } = await newOfframp(merchant, { amount, metadata: { note: HOSTILE } })
  await fund(merchant, 'offramp', id)
  await sql('update sandbox_fiat_orders set received_at = now() + make_interval(days => 1) where reference = $1', [id])
  await sql('update fiat_polls set next_poll_at = now() - make_interval(secs => 1) where id = $1', [id])
  await expect.poll(() => statusOf(merchant, id), { timeout: PATIENCE }).toBe('processing')
  return id
}

const statusOf = async (merchant: Merchant, id: string): Promise<string> =>
  (await merchant.call(`GET /v1/offramps/${id}`)).body.data.status

/** Fills in a command that is shown, and shows what it would do. */
async function fill(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) {
    const field = page.getByLabel(label, { exact: true })
    await field.waitFor({ timeout: PATIENCE })
    const isChoice = (await field.locator('xpath=self::select').count()) === 1
    await (isChoice ? field.selectOption(value) : field.fill(value))
  }
  await page.getByRole('button', { name: /^(Show what it would do|Continue)$/ }).click()
}

/** Sends the command that is shown, and goes back to where it was opened. */
async function send(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
  await page.getByText('It is done').waitFor({ timeout: PATIENCE })
}

/** The procedures of operators, from the document that the console itself reads. */
const procedures = Object.values(
  (
    JSON.parse(readFileSync(new URL('../../../../docs/derived/openapi-operators.json', import.meta.url), 'utf8')) as {
      paths: Record<string, Record<string, { 'x-procedure'?: { name: string; type: 'query' | 'mutation' } }>>
    }
  ).paths,
  // A stream is no procedure.
).flatMap((methods) => Object.values(methods).flatMap((each) => each['x-procedure'] ?? []))

/** What calls that are made by hand in a page are answered with, by procedure. */
const callByHand = (page: Page): Promise<Record<string, number>> =>
  page.evaluate(async (all: { name: string; type: string }[]) => {
    const statuses: Record<string, number> = {}
    for (const { name, type } of all)
      statuses[name] = (
        await fetch(`/dashboard/api/trpc/${name}${type === 'query' ? '?input={}' : ''}`, {
          ...(type === 'query'
            ? {}
            : { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"reason":"x"}' }),
        })
      ).status
    return statuses
  }, procedures)

describe.runIf(hasTools(chromiumCommand()))("the operators' console in Chromium", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test(
    'the drill by clicks: an outage leaves offramps unknown; operators find them, see why, settle them, and the audit log tells it',
    async () => {
      const [grace, ada] = [nextOperator(), nextOperator()]
      const merchant = await newMerchant(service)
      const { organisationId } = merchant
      // An attempt that failed left its outage.
      await sql('delete from sandbox_faults')
      const offramps: string[] = []
      for (const amount of ['25', '30', '35', '2500']) offramps.push(await inFlight(merchant, amount))
      const [delivered = '', refunded = '', waiting = '', large = ''] = offramps
      const { context, page, problems } = await openDashboard(browser, service, { role: 'operator', email: grace })

      // The outage.
      await page.goto(`${service.url}/console`)
      await page.getByRole('heading', { name: 'Needs attention', exact: true }).waitFor()
      await page.getByRole('link', { name: 'Providers', exact: true }).click()
      await page.getByRole('region', { name: 'Providers by environment' }).waitFor()
      await page.getByRole('link', { name: 'Simulate an outage in the sandbox' }).click()
      await fill(page, { Provider: 'fiat', Mode: 'down', Seconds: '3600', Reason: 'Drill' })
      await page.getByRole('region', { name: 'What it would do' }).waitFor()
      await send(page, 'Simulate an outage of a sandbox provider')
      await sql('update fiat_polls set next_poll_at = now() - make_interval(secs => 1)')

      // What it left, by kind, of the organisation that is found by its name.
      await page.getByRole('searchbox', { name: 'Find anything' }).fill(organisationId)
      await page.keyboard.press('Enter')
      await page.getByRole('region', { name: 'Found organisations' }).getByRole('link').click()
      await page.getByRole('heading', { name: 'Members', exact: true }).waitFor()
      await page.getByRole('link', { name: 'What needs attention' }).click()
      await page.getByRole('link', { name: 'Offramp, unknown 4' }).click({ timeout: PATIENCE })
      const objects = page.getByRole('region', { name: 'Objects' })
      await objects.getByText('Fiat provider unavailable').nth(3).waitFor({ timeout: PATIENCE })
      // The most money comes first, whoever has waited longer.
      await objects.getByRole('row').nth(1).getByText('2,500 USDC').waitFor()
      await checkScreen(page, 'console-attention')

      // The timeline of one says why; what the merchant wrote is text.
      await objects.locator(`a[href$="${delivered}"]`).click()
      await page
        .getByText(/failed \(fiat_provider_unavailable\)/)
        .first()
        .waitFor({ timeout: PATIENCE })
      await page.getByText(HOSTILE).first().waitFor()
      await checkScreen(page, 'console-object')

      // Settling it shows first what it would do, and needs a fresh code.
      const settle = 'Settle a local fiat order'
      await page.getByRole('link', { name: settle }).click()
      await fill(page, { Outcome: 'delivered', Reason: 'Confirmed by the bank' })
      const effects = page.getByRole('region', { name: 'What it would do' })
      await effects.getByText('offramp.updated: settled → delivered').waitFor()
      await effects.getByText(/^offramp delivered: \+[\d.,]+ NGN on destination$/).waitFor()
      const change = page.getByRole('region', { name: 'Before and after' }).getByRole('row', { name: /^Status/ })
      expect(await change.getByRole('cell').allTextContents()).toEqual(['Status', 'processing', 'delivered'])
      await checkScreen(page, 'console-review')
      expect(await statusOf(merchant, delivered)).toBe('processing')
      await sql(
        "update sessions set confirmed_at = now() - interval '1 hour' where user_id = (select id from users where email = $1)",
        [grace],
      )
      await page.getByRole('button', { name: settle, exact: true }).click()
      await page.getByRole('button', { name: 'Email me a code' }).click()
      await page.getByLabel('Code', { exact: true }).fill(await mailedCode(service.dataDir, grace, PATIENCE))
      await checkScreen(page, 'console-confirm')
      await page.getByRole('button', { name: 'Confirm', exact: true }).click()
      await page.getByText('It is done').waitFor({ timeout: PATIENCE })
      expect(await statusOf(merchant, delivered)).toBe('delivered')
      await page.getByRole('link', { name: 'Back', exact: true }).click()
      await page.locator('.main-amount').getByText('delivered').waitFor({ timeout: PATIENCE })

      const open = async (id: string) => {
        await page.getByRole('searchbox', { name: 'Find anything' }).fill(id)
        await page.keyboard.press('Enter')
        await page.getByRole('region', { name: 'Found objects' }).getByRole('link').first().click()
        await page.getByRole('link', { name: settle }).click()
      }
      await open(refunded)
      await fill(page, { Outcome: 'refunded', Reason: 'The provider sent it back' })
      await send(page, settle)
      expect(await statusOf(merchant, refunded)).toBe('failed')

      // Above the limit another operator approves it, and sees the same.
      await open(large)
      await fill(page, { Outcome: 'delivered', Reason: HOSTILE })
      await page.getByText('another operator must approve it within a day').waitFor()
      expect(await page.getByRole('button', { name: settle, exact: true }).count()).toBe(0)
      await checkScreen(page, 'console-request')
      await page.getByRole('button', { name: 'Request approval' }).click()
      await page.getByText('Another operator is asked to approve it').waitFor({ timeout: PATIENCE })
      await page.getByRole('link', { name: 'Show approvals' }).click()
      const own = page.getByRole('region', { name: /^Approval/ }).filter({ hasText: large })
      await own.getByText('You requested it: another operator must approve it.').waitFor()
      expect(await own.getByRole('link', { name: /^Approve/ }).count()).toBe(0)
      const second = await openDashboard(browser, service, { role: 'operator', email: ada })
      await second.page.goto(`${service.url}/console/approvals`)
      const asked = second.page.getByRole('region', { name: /^Approval/ }).filter({ hasText: large })
      await asked.getByText(HOSTILE).waitFor()
      await checkScreen(second.page, 'console-approvals')
      await asked.getByRole('link', { name: /^Approve/ }).click()
      await fill(second.page, { Reason: 'Checked with the bank' })
      await second.page.getByText('offramp.updated: settled → delivered').waitFor()
      await second.page.getByText(/^offramp delivered: \+[\d.,]+ NGN on destination$/).waitFor()
      const approved = second.page.getByRole('region', { name: 'Before and after' })
      await approved.getByRole('row', { name: 'Status processing delivered' }).waitFor()
      await checkScreen(second.page, 'console-approve')
      await send(second.page, 'Approve a command on money')
      expect(await statusOf(merchant, large)).toBe('delivered')
      expect(second.problems).toEqual([])
      await second.context.close()

      // The outage ends: what is left is asked about again, and ends by itself. No poll of the schedule comes before.
      await sql('update fiat_polls set next_poll_at = now() + make_interval(hours => 1) where id = $1', [waiting])
      await page.goto(`${service.url}/console/commands`)
      await page.getByRole('link', { name: 'Simulate an outage of a sandbox provider' }).click()
      await fill(page, { Provider: 'fiat', Mode: 'down', Seconds: '0', Reason: 'End of the drill' })
      await send(page, 'Simulate an outage of a sandbox provider')
      await sql("update sandbox_fiat_orders set received_at = now() - interval '1 hour' where reference = $1", [
        waiting,
      ])
      await page.goto(`${service.url}/console/?organisationId=${organisationId}&kind=offramp&condition=unknown`)
      await objects.locator(`a[href$="${waiting}"]`).waitFor({ timeout: PATIENCE })
      await page.getByRole('link', { name: 'Ask the providers again about it' }).click()
      await fill(page, { Reason: 'The outage is over' })
      await send(page, 'Ask the providers again about all objects that need an operator')
      await page.getByRole('link', { name: 'Back', exact: true }).click()
      await page.getByRole('heading', { name: 'Nothing needs an operator' }).waitFor({ timeout: PATIENCE })
      expect(await statusOf(merchant, waiting)).toBe('delivered')

      // What was done, and the ledger.
      await page.goto(`${service.url}/console/audit-log?organisationId=${organisationId}`)
      for (const reason of ['Confirmed by the bank', 'The provider sent it back', HOSTILE])
        await page.getByRole('listitem').filter({ hasText: reason }).first().waitFor()
      expect(await page.getByRole('listitem').filter({ hasText: settle }).count()).toBe(3)
      await page.getByText('What it changed').first().click()
      await page.getByRole('link', { name: 'Ledger', exact: true }).click()
      await page.getByRole('button', { name: 'Check the ledger' }).click()
      await page
        .getByRole('region', { name: 'Check of the ledger' })
        .getByText('verified')
        .waitFor({ timeout: PATIENCE })
      expect(await page.evaluate("document.querySelectorAll('img').length")).toBe(0)
      expect(problems.filter((problem) => !problem.includes('403'))).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'what merchants, customers and operators wrote is shown as text, and what was done to an organisation is in the audit log',
    async () => {
      const merchant = await newMerchant(service)
      const { organisationId } = merchant
      const customer = await merchant.call('POST /v1/customers', {
        body: { name: HOSTILE, email: 'payer@example.com', metadata: { note: HOSTILE } },
      })
      await sql('update organisations set name = $2 where id = $1', [organisationId, HOSTILE])
      await suspenseOf(service.runtime, organisationId, 5_000_000n)
      const { context, page, problems } = await openDashboard(browser, service, {
        role: 'operator',
        email: nextOperator(),
      })
      const images = () => page.evaluate("document.querySelectorAll('img').length")
      await page.goto(`${service.url}/console/objects/${customer.body.data.id}`)
      await page.getByRole('link', { name: HOSTILE }).waitFor({ timeout: PATIENCE })
      await page.getByText(HOSTILE).nth(2).waitFor()
      await checkScreen(page, 'console-customer')
      await page.goto(`${service.url}/console/search?text=payer%40example.com`)
      await page.getByRole('region', { name: 'Found objects' }).getByText('Customer').first().waitFor()
      await checkScreen(page, 'console-search')
      // What a receiver of webhooks answered is read with a reason.
      await merchant.call('POST /v1/webhooks', { body: { url: `${receiver.origin}/hooks` } })
      await page.goto(`${service.url}/console/objects/${(await newRoute(merchant)).id}`)
      await page
        .getByText(/attempt 1 was answered with 200$/)
        .first()
        .waitFor({ timeout: PATIENCE })
      await page
        .getByLabel(/^Details of Delivery attempt/)
        .first()
        .click()
      await page.getByRole('link', { name: 'Read the delivery and its replies' }).click()
      await fill(page, { Reason: 'Ticket 7' })
      await send(page, 'Read a webhook delivery and its replies')
      await page.getByText(HOSTILE).first().waitFor()
      expect(await images()).toBe(0)
      // An organisation is suspended and reactivated by clicks.
      await page.goto(`${service.url}/console/organisations/${organisationId}`)
      await page.getByRole('heading', { name: 'Members', exact: true }).waitFor({ timeout: PATIENCE })
      await page.getByRole('region', { name: 'Endpoints' }).getByText(`${receiver.origin}/hooks`).waitFor()
      await checkScreen(page, 'console-organisation')
      await page.getByRole('link', { name: 'Suspend', exact: true }).click()
      await page.getByLabel('Reason', { exact: true }).waitFor()
      await checkScreen(page, 'console-command')
      await fill(page, { 'Message (optional)': 'Please answer our questions', Reason: HOSTILE })
      await page.getByText(`test, webhook endpoint, enabled: ${receiver.origin}/hooks`).waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'console-suspend')
      await send(page, 'Suspend an organisation')
      await checkScreen(page, 'console-done')
      await page.getByRole('link', { name: 'Back', exact: true }).click()
      await page.getByRole('link', { name: 'Lift the suspension' }).click({ timeout: PATIENCE })
      await fill(page, { Reason: 'Settled' })
      await send(page, 'Lift the suspension of an organisation')
      // Money leaves suspense with a memo, and the entry is reversed from the statement.
      await page.goto(`${service.url}/console/suspense`)
      const own = page.getByRole('row').filter({ hasText: organisationId.slice(-8) })
      await own.getByRole('link', { name: /^Move/ }).click({ timeout: PATIENCE })
      await fill(page, { Amount: '2', To: 'fees', Reason: HOSTILE })
      await send(page, 'Move money out of suspense')
      await page.goto(`${service.url}/console/ledger/accounts?organisationId=${organisationId}`)
      await page.getByRole('link', { name: 'Fees', exact: true }).click({ timeout: PATIENCE })
      await page.getByRole('region', { name: 'Postings' }).getByText(HOSTILE).waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'console-statement')
      await page.getByRole('link', { name: /^Reverse entry/ }).click()
      await fill(page, { Reason: 'A mistake' })
      await send(page, 'Reverse an entry that an operator posted')
      await page.goto(`${service.url}/console/audit-log?organisationId=${organisationId}`)
      await page.getByText('5 entries, newest first').waitFor({ timeout: PATIENCE })
      await page.getByRole('listitem').filter({ hasText: HOSTILE }).nth(1).waitFor()
      await page.getByText('What it changed').first().click()
      await checkScreen(page, 'console-audit-log')
      expect(await page.locator('main pre').count()).toBe(0)
      expect(await images()).toBe(0)
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'every other screen of the console shows what the service has, and a signed-out operator is asked for a code',
    async () => {
      const { organisationId } = await newMerchant(service)
      const { context, page, problems } = await openDashboard(browser, service, {
        role: 'operator',
        email: nextOperator(),
      })
      const screens = [
        ['ledger', 'Trial balance'],
        ['suspense', 'Balances in suspense'],
        ['treasury', 'Treasury'],
        ['organisations', 'Organisations'],
        ['providers', 'Rate budgets'],
        ['queues', 'Schedules'],
        ['dead-letters', 'Events that were set aside'],
        ['tokens', 'Internal tokens'],
        ['settings', 'Settings in force'],
        ['commands', 'Commands'],
        [`?organisationId=${organisationId}`, 'Nothing needs an operator'],
        ['nothing', 'There is nothing at this address'],
      ] as const
      for (const [path, heading] of screens) {
        await page.goto(`${service.url}/console/${path}`)
        await page.getByRole('heading', { name: heading, exact: true }).waitFor({ timeout: PATIENCE })
        await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count(), { timeout: PATIENCE }).toBe(0)
        await checkScreen(page, `console-${path.replace(/\?.*/, 'nothing-needed')}`)
      }
      await page.goto(`${service.url}/console/commands/admin.internalTokens.create`)
      await fill(page, {
        Name: 'Nightly report',
        'Expires in days': '90',
        Procedures: 'admin.organisations.list, admin.swaps.*',
        Reason: 'Reports',
      })
      await send(page, 'Create an internal token')
      await page.getByText(/^svc_int_\w{20,}$/).waitFor()
      // Nothing of it is read by the clock: what another operator does is told by the stream.
      await page.goto(`${service.url}/console/audit-log?organisationId=${organisationId}`)
      await page.getByRole('heading', { name: 'Nothing was done' }).waitFor({ timeout: PATIENCE })
      const { accessToken: token } = await signedIn(service.runtime, { role: 'operator', email: nextOperator() })
      await call(service, `POST /v1/admin/ops/organisations/${organisationId}/suspend`, {
        ...{ token, key: null, body: { reason: 'Told by the stream' } },
      })
      await page.getByText('Told by the stream').first().waitFor({ timeout: PATIENCE })
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor({ timeout: PATIENCE })
      expect(await page.getByRole('button', { name: 'Create an account' }).count()).toBe(0)
      await checkScreen(page, 'console-sign-in')
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'a merchant and a visitor see a page that says who the console is for, and no call of theirs by hand is answered',
    async () => {
      const { organisationId } = await newMerchant(service)
      for (const role of ['owner', 'member'] as const) {
        const { context, page } = await openDashboard(browser, service, { organisationId, role })
        await page.goto(`${service.url}/console/organisations/${organisationId}`)
        await page.getByRole('heading', { name: 'For operators only' }).waitFor({ timeout: PATIENCE })
        await checkScreen(page, 'console-refused')
        expect(await page.getByRole('navigation').count()).toBe(0)
        const refused = await callByHand(page)
        expect(refused).toEqual(Object.fromEntries(procedures.map(({ name }) => [name, 403])))
        await context.close()
      }
      const visitor = await openWindow(browser, service.url, 'desktop')
      await visitor.page.goto(`${service.url}/console`)
      await visitor.page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor({ timeout: PATIENCE })
      expect(await callByHand(visitor.page)).toEqual(Object.fromEntries(procedures.map(({ name }) => [name, 401])))
      await visitor.context.close()
    },
    STORY_MS,
  )
})
