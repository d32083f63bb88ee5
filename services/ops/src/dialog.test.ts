import { afterAll, expect, test } from 'vitest'
import { foundOrganisation, newMerchant, newRoute, signedIn, startMailbox, useArtefact } from '#testing'
import { runOps, stateFolder, talkToOps } from '../test/ops.ts'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useArtefact({ settings: { SMTP_URL: mailbox.url } })
const EMAIL = 'operator@example.com'
const state = stateFolder()
/** A folder without a session. */
const nobody = stateFolder()
const talk = (args: readonly string[], answers: Parameters<typeof talkToOps>[2] = {}) =>
  talkToOps(args, { PAYMENTS_URL: service.url, XDG_STATE_HOME: state }, answers)

const login = async () => {
  await signedIn(service.runtime, { role: 'operator' })
  const before = mailbox.codesTo(EMAIL).length
  return talk(['login', '--email', EMAIL], { 'Code: ': () => mailbox.codeFor(EMAIL, before) })
}

test('on a terminal the code is asked for, a change is shown and asked about, and only a yes does it', async () => {
  expect((await login()).stderr).toContain(`Signed in as ${EMAIL}`)
  const id = await foundOrganisation(service.runtime)
  const suspend = ['organisations', 'suspend', id, '--reason', 'Drill']
  const no = await talk(suspend, { 'Do it? [y/N]': '' })
  expect(no.stderr).toContain(`Suspend an organisation. From the next request on`)
  expect(no.stderr).toContain(`  organisationId  ${id}\n  reason          Drill\n`)
  expect(no).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/Nothing was changed\n$/) })
  const stopped = await talk(suspend, { 'Do it? [y/N]': '\u0003' })
  expect(stopped).toMatchObject({ code: 130, stdout: '', stderr: expect.stringMatching(/nothing more was done\n$/) })
  expect((await talk(['organisations', 'get', id])).stdout).toMatch(/\nstatus +active\n/)
  const yes = await talk(suspend, { 'Do it? [y/N]': 'y' })
  expect([yes.code, yes.stdout.match(/\nstatus +(\w+)/)?.[1]]).toEqual([0, 'suspended'])
})

test('a table that is wider than the terminal becomes a block for each row', async () => {
  await login()
  const { stdout } = await talk(['organisations', 'list'])
  expect(stdout).toMatch(/^id +[\w-]{36}\nname +\w/)
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
})

test('an action that needs a confirmed session leads through the confirmation, and a token then replaces the session', async () => {
  await login()
  await service.runtime.pool.query('update sessions set confirmed_at = null')
  const before = mailbox.codesTo(EMAIL).length
  const create = ['internal-tokens', 'create', '--name', 'Report', '--expires-in-days', '1', '--reason', 'Reports']
  const made = await talk([...create, '--procedures', 'admin.organisations.list', 'admin.swaps.*'], {
    'Do it? [y/N]': 'y',
    'Code: ': () => mailbox.codeFor(EMAIL, before),
  })
  expect(made.stderr).toContain(`A code to confirm the session was sent to ${EMAIL}`)
  expect([made.code, made.stdout.match(/^procedures +(.*)$/m)?.[1]]).toEqual([
    0,
    'admin.organisations.list, admin.swaps.*',
  ])
  const token = made.stdout.match(/\ntoken +(svc_int_\w+)\n/)?.[1] ?? ''
  const asTool = (...args: string[]) =>
    runOps(args, { PAYMENTS_URL: service.url, XDG_STATE_HOME: nobody, PAYMENTS_TOKEN: token })
  const [listed, other] = await Promise.all([asTool('organisations', 'list', '--json'), asTool('ledger', 'check')])
  expect([listed.code, JSON.parse(listed.stdout).total]).toEqual([0, expect.any(Number)])
  expect(other).toMatchObject({
    code: 1,
    stderr: 'The internal token does not list this procedure (procedure_not_listed)\n',
  })

  // In a script nobody can be asked: it is told what to do.
  await service.runtime.pool.query('update sessions set confirmed_at = null')
  const script = (...args: string[]) => runOps(args, { PAYMENTS_URL: service.url, XDG_STATE_HOME: state })
  const refused = await script(...create, '--procedures', 'admin.swaps.*', '--yes')
  expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('ops confirm --code <code>') })
  const asked = mailbox.codesTo(EMAIL).length
  expect((await script('confirm')).stderr).toMatch(/\nThen: ops confirm --code <code>\n$/)
  expect((await script('confirm', '--code', await mailbox.codeFor(EMAIL, asked))).code).toBe(0)
  expect((await script(...create, '--procedures', 'admin.swaps.*', '--yes')).code).toBe(0)
})

test('what a change would do is shown before the question, and with --dry-run nothing else is done', async () => {
  await login()
  const { id } = await newRoute(await newMerchant(service))
  const pause = ['payment-routes', 'pause', id, '--reason', 'Drill']
  const shown = await talk([...pause, '--dry-run', '--json'])
  expect([shown.code, JSON.parse(shown.stdout)]).toMatchObject([
    0,
    { effects: [{ kind: 'change', resourceId: id }], reply: { id, status: 'paused' } },
  ])
  const no = await talk(pause, { 'Do it? [y/N]': 'n' })
  expect(no.stderr).toMatch(/It would do this:\n {2}.*payment_route.*\nDo it\? \[y\/N\]/)
  const { rows } = await service.runtime.pool.query('select status from payment_routes where id = $1', [id])
  expect(rows).toEqual([{ status: 'active' }])
  // What cannot be done is said before the question.
  expect(await talk(['payment-routes', 'resume', id, '--reason', 'Drill'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('payment_route_active'),
  })
})
