import { type Actor, newId, system } from '@payments/kernel'
import { afterAll, expect, test } from 'vitest'
import { bookOf, call, foundOrganisation, newMerchant, own, signIn, startMailbox, transfer, useService } from '#testing'
import { post } from '../journal/post.ts'
import { accountId } from '../model/accounts.ts'

const mailbox = await startMailbox()
const service = useService({
  worker: true,
  settings: { SMTP_URL: mailbox.url, OPERATOR_EMAILS: 'ops@example.com' },
})
afterAll(() => mailbox.close())

const session = (role: NonNullable<Actor['role']>) =>
  service.process.createCaller({ ...system(newId(), 'test'), kind: 'session', role }).admin

test('operators can get the trial balance, accounts and statements of any organisation, and run the check', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  await bookOf(service.runtime, organisationId).do((unit) =>
    post(unit, transfer(own('external'), own('available'), 12_500_000n)),
  )
  const operator = session('operator')
  expect(await operator.ledger.trialBalance({ organisationId })).toEqual({
    balanced: true,
    lines: [
      { environment: 'test', asset: 'USDC', purpose: 'available', accounts: 1, balance: '12.5' },
      { environment: 'test', asset: 'USDC', purpose: 'external', accounts: 1, balance: '-12.5' },
    ],
  })
  const { accounts, total } = await operator.ledger.accounts({ organisationId })
  expect(total).toBe(2)
  expect(accounts.map((account) => account.balance).sort()).toEqual(['-12.5', '12.5'])
  const id = accountId({ organisationId, environment: 'test' }, own('available'))
  expect(await operator.ledger.statement({ accountId: id })).toMatchObject({
    account: { id, purpose: 'available' },
    lines: [{ step: 'moved', sourceType: 'adjustment', amount: '12.5', balanceAfter: '12.5' }],
  })
  expect(await operator.ledger.check({})).toMatchObject({ ok: true, findings: [] })
})

test("the same procedures are available over REST with an operator's session", async () => {
  const { accessToken: token } = await signIn(service, mailbox, { email: 'ops@example.com' })
  const { organisationId } = await newMerchant(service)
  await bookOf(service.runtime, organisationId).do((unit) =>
    post(unit, transfer(own('external'), own('available'), 3n)),
  )
  const get = (path: string) => call(service, `GET /v1/admin/ops/ledger/${path}`, { token })
  expect((await get('trial-balance')).body).toMatchObject({ status: 'success', data: { balanced: true } })
  const { body } = await get(`accounts?organisationId=${organisationId}`)
  expect(body.data.total).toBe(2)
  const statement = await get(`accounts/${body.data.accounts[0].id}/statement`)
  expect(statement.body.data.lines).toHaveLength(1)
  expect((await get(`accounts/${newId()}/statement`)).body).toMatchObject({ message: 'Ledger account not found' })
  expect((await get('check')).body.data).toMatchObject({ ok: true })
})

test('a member, an owner and an API key are refused', async () => {
  for (const role of ['member', 'owner'] as const) {
    await expect(session(role).ledger.trialBalance({})).rejects.toThrow('Operator role required')
    await expect(session(role).ledger.check({})).rejects.toThrow('Operator role required')
  }
  const merchant = await newMerchant(service)
  for (const path of [
    'trial-balance',
    `accounts?organisationId=${newId()}`,
    `accounts/${newId()}/statement`,
    'check',
  ]) {
    const answer = await merchant.call(`GET /v1/admin/ops/ledger/${path}`)
    expect([answer.status, answer.body.message]).toEqual([403, 'Dashboard session required'])
  }
})
