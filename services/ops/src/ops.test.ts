import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { appRouter } from '@payments/api'
import { commandsOf, type OperatorsDocument } from '@payments/client'
import type { OperationMeta } from '@payments/platform'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { call, foundOrganisation, signedIn, startMailbox, useArtefact } from '#testing'
import { runOps, stateFolder } from '../test/ops.ts'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useArtefact({ settings: { SMTP_URL: mailbox.url } })
const EMAIL = 'operator@example.com'
const state = stateFolder()
const environment = (folder = state) => ({ PAYMENTS_URL: `${service.url}/v1`, XDG_STATE_HOME: folder })
const ops = (...args: string[]) => runOps(args, environment())

/** The file of the session in a folder. */
const fileIn = (folder: string): string => {
  const [file = ''] = readdirSync(join(folder, 'payments-ops'))
  return join(folder, 'payments-ops', file)
}
const kept = (folder: string) => JSON.parse(readFileSync(fileIn(folder), 'utf8'))

/** Signs in as an operator does, without a terminal: two commands with the code between them. */
async function login(folder: string, email = EMAIL) {
  const before = mailbox.codesTo(email).length
  const asked = await runOps(['login', '--email', email], environment(folder))
  expect(asked).toEqual({
    code: 0,
    stdout: '',
    stderr: `A code was sent to ${email}, if it is the address of a user\nThen: ops login --code <code>\n`,
  })
  return runOps(['login', '--code', await mailbox.codeFor(email, before)], environment(folder))
}

beforeAll(async () => {
  await signedIn(service.runtime, { role: 'operator' })
  expect(await login(state)).toEqual({ code: 0, stdout: '', stderr: `Signed in as ${EMAIL} at ${service.url}\n` })
})

test('help is enough at every level, and needs no sign-in', async () => {
  const [root, group, leaf, alone, ...without] = await Promise.all([
    ops('--help'),
    ops('organisations', '--help'),
    ops('help', 'organisations', 'suspend'),
    ops('--help', '--url', 'http://127.0.0.1:2'),
    ops('organisations', 'suspend', '--help', '--url', 'http://127.0.0.1:2'),
    ops('help', 'organisations', '--url', 'http://127.0.0.1:2'),
  ])
  expect(root.stdout).toMatch(/^Usage: ops \[options\] \[command\]\n/)
  for (const part of ['login', 'organisations', 'PAYMENTS_URL', 'PAYMENTS_TOKEN', 'Exit codes', 'ops login --email'])
    expect(root.stdout).toContain(part)
  expect(group.stdout).toMatch(/suspend \[options\] <organisation-id> +Suspend an organisation\n/)
  expect(leaf.stdout).toMatch(/--reason <text> .*\(required\)/)
  expect(leaf.stdout).toMatch(/Examples:\n {2}ops organisations suspend [\w-]{36} --reason /)
  expect(leaf.stdout).toContain('May fail with:\n  Organisation not found\n')
  expect([root.code, group.code, leaf.code]).toEqual([0, 0, 0])
  expect(alone).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('login'),
    stderr: expect.stringContaining('cannot be reached'),
  })
  for (const { code, stdout, stderr } of without)
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('cannot be reached')])
})

test('every procedure of operators is a command with an argument or option for each field of its input', async () => {
  const document = (await call(service, 'GET /docs/operators.json')).body as OperatorsDocument
  const commands = Object.fromEntries(
    commandsOf(document).map(({ procedure: { name, type }, arguments: args, options }) => [
      `${type} ${name}`,
      [...args, ...options].map((field) => field.name).sort(),
    ]),
  )
  const procedures = Object.entries(
    appRouter._def.procedures as unknown as Record<
      string,
      { _def: { type: string; meta: OperationMeta & { operation: { input: { shape: object } } } } }
    >,
  )
    .filter(([, { _def }]) => _def.meta.access === 'operator' && !_def.meta.produces)
    .map(([name, { _def }]) => [`${_def.type} ${name}`, Object.keys(_def.meta.operation.input.shape).sort()])
  expect(procedures.length).toBeGreaterThan(20)
  expect(commands).toEqual(Object.fromEntries(procedures))
})

test('the session is kept in a file that only its user can read, and only for its own service', async () => {
  expect([statSync(fileIn(state)).mode & 0o777, statSync(join(state, 'payments-ops')).mode & 0o777]).toEqual([
    0o600, 0o700,
  ])
  expect(await ops('whoami', '--json')).toEqual({
    code: 0,
    stderr: '',
    stdout: `${JSON.stringify({ service: service.url, email: EMAIL, role: 'operator' }, null, 2)}\n`,
  })
  const other = await ops('whoami', '--url', service.url.replace('127.0.0.1', 'localhost'))
  expect(other).toEqual({ code: 2, stdout: '', stderr: 'Sign in first: ops login --email <email>\n' })
  const readable = await ops('whoami', '--url', 'http://payments.example.com')
  expect(readable).toMatchObject({ code: 2, stderr: '--url: must begin with https://, except for this machine\n' })
})

test('a list is an aligned table for people, and clean JSON for programs', async () => {
  const id = await foundOrganisation(service.runtime)
  await service.runtime.pool.query('update organisations set name = $2 where id = $1', [
    id,
    'Red \u001b[31m\u009b1m\u202e Ltd',
  ])
  const table = await ops('organisations', 'list')
  const lines = table.stdout.split('\n')
  expect(lines[0]).toMatch(/^id {36}name +operator {2}liveEnabled {2}status +.*createdAt +updatedAt$/)
  // What others wrote never controls the terminal.
  expect(lines.find((line) => line.startsWith(id))).toMatch(
    /^\S+ {2}Red \\u001b\[31m\\u009b1m\\u202e Ltd +false +false +active .*\S+ {2}\S+$/,
  )
  expect(table.stderr).toMatch(/^organisations: \d+\n$/)
  const { code, stdout, stderr } = await ops('organisations', 'list', '--json')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).not.toMatch(/[\u007f-\u009f\u202e]/)
  expect(JSON.parse(stdout).organisations.find((each: { id: string }) => each.id === id)).toMatchObject({
    name: 'Red \u001b[31m\u009b1m\u202e Ltd',
    suspendedAt: null,
  })
})

test('without a terminal a change is refused unless --yes is there, and a reason is always required', async () => {
  const id = await foundOrganisation(service.runtime)
  const status = async () => JSON.parse((await ops('organisations', 'get', id, '--json')).stdout).status
  const refused = await ops('organisations', 'suspend', id, '--reason', 'Drill')
  expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('add --yes') })
  const silent = await ops('organisations', 'suspend', id, '--yes')
  expect(silent).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining("'--reason <text>' not specified"),
  })
  expect(await status()).toBe('active')
  const done = await ops('organisations', 'suspend', id, '--reason', 'Drill', '--yes', '--json')
  expect([done.code, done.stderr]).toEqual([0, ''])
  expect(JSON.parse(done.stdout)).toMatchObject({ id, status: 'suspended', suspensionReason: 'Drill' })
})

test('a failure exits with 1 and names the message and the options concerned, a misspelt command with 2', async () => {
  const [unknown, invalid, fault, misspelt] = await Promise.all([
    ops('organisations', 'get', 'nothing', '--json'),
    ops('ledger', 'accounts', '--organisation-id', 'nothing'),
    ops('sandbox', 'faults', '--provider', 'fiat', '--mode', 'down', '--seconds', 'ten', '--reason', 'Drill', '--yes'),
    ops('organisations', 'lst'),
  ])
  expect(unknown).toEqual({ code: 1, stdout: '', stderr: 'Organisation not found (organisation_not_found)\n' })
  expect(invalid).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Validation failed (validation_failed)\n  --organisation-id: Must be a UUID\n',
  })
  expect(fault.stderr).toBe('Validation failed (validation_failed)\n  --seconds: Must be a number\n')
  expect(misspelt).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Did you mean list?') })
})

test('an expired access token is replaced by itself, and a session that was ended says how to sign in again', async () => {
  const folder = stateFolder(onTestFinished)
  await login(folder)
  const old = kept(folder)
  const expired = { session: { ...old.session, accessToken: 'spent', expiresAt: '2026-01-01T00:00:00.000Z' } }
  writeFileSync(fileIn(folder), JSON.stringify(expired))
  expect((await runOps(['whoami'], environment(folder))).code).toBe(0)
  expect(statSync(fileIn(folder)).mode & 0o777).toBe(0o600)
  const { session } = kept(folder)
  expect(session.refreshToken).not.toBe(old.session.refreshToken)

  const ended = await call(service, 'POST /v1/auth/logout', { token: session.accessToken, key: null })
  expect(ended.status).toBe(200)
  writeFileSync(fileIn(folder), JSON.stringify({ session: { ...session, expiresAt: '2026-01-01T00:00:00.000Z' } }))
  const after = await runOps(['whoami'], environment(folder))
  expect(after).toEqual({ code: 2, stdout: '', stderr: `The session has ended: ops login --email ${EMAIL}\n` })
  expect(existsSync(join(folder, 'payments-ops')) && readdirSync(join(folder, 'payments-ops'))).toEqual([])
})

test('signing out ends the session at the service, too', async () => {
  const folder = stateFolder(onTestFinished)
  await login(folder)
  const { accessToken } = kept(folder).session
  expect(await runOps(['logout'], environment(folder))).toEqual({ code: 0, stdout: '', stderr: 'Signed out\n' })
  expect((await call(service, 'GET /v1/auth/me', { token: accessToken })).status).toBe(401)
  expect(readdirSync(join(folder, 'payments-ops'))).toEqual([])
})

test('who is not an operator is signed out again, and a wrong code says so', async () => {
  const folder = stateFolder(onTestFinished)
  const { email } = await signedIn(service.runtime, {
    organisationId: await foundOrganisation(service.runtime),
    role: 'owner',
  })
  expect(await login(folder, email)).toEqual({
    code: 2,
    stdout: '',
    stderr: `${email} is not an operator: the setting OPERATOR_EMAILS of the service names them\n`,
  })
  expect(readdirSync(join(folder, 'payments-ops'))).toEqual([])
  await runOps(['login', '--email', EMAIL], environment(folder))
  const wrong = await runOps(['login', '--code', '000000'], environment(folder))
  expect(wrong).toEqual({ code: 1, stdout: '', stderr: 'Invalid or expired code\n' })
})

test('an operator invites the owner of an organisation, who gets the email', async () => {
  const email = 'owner@invited.test'
  const invited = await ops('invite', '--email', email, '--json')
  expect([invited.code, JSON.parse(invited.stdout)]).toEqual([0, expect.objectContaining({ email, status: 'pending' })])
  await expect.poll(() => mailbox.emails.filter(({ to }) => to.includes(email)).length).toBe(1)
  expect(await ops('invite')).toMatchObject({ code: 2, stderr: expect.stringContaining('--email') })
})
