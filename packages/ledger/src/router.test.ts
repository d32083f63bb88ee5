import { type Actor, newId, router, system } from '@payments/kernel'
import { expect, test } from 'vitest'
import { foundOrganisation, newMerchant, useService } from '#testing'
import { accountId } from './accounts.ts'
import { post } from './post.ts'
import { operatorRouter } from './router.ts'
import { bookOf, own, transfer } from './testing.ts'

const service = useService()

const session = (role: NonNullable<Actor['role']>) =>
  router({ ledger: operatorRouter }).createCaller({
    runtime: service.runtime,
    actor: { ...system(newId(), 'test'), kind: 'session', role },
    log: service.runtime.log,
  })

test('operators see trial balance, accounts and statements of any organisation, and the check', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  await bookOf(service.runtime, organisationId).do((work) =>
    post(work, transfer(own('external'), own('available'), 12_500_000n)),
  )
  const operator = session('operator')
  expect(await operator.ledger.trialBalance({ organisationId })).toEqual({
    balanced: true,
    lines: [
      { environment: 'test', asset: 'USDC', purpose: 'available', accounts: 1, balance: '12500000' },
      { environment: 'test', asset: 'USDC', purpose: 'external', accounts: 1, balance: '-12500000' },
    ],
  })
  const { accounts, total } = await operator.ledger.accounts({ organisationId })
  expect(total).toBe(2)
  expect(accounts.map((account) => account.balance).sort()).toEqual(['-12500000', '12500000'])
  const id = accountId({ organisationId, environment: 'test' }, own('available'))
  expect(await operator.ledger.statement({ accountId: id })).toMatchObject({
    account: { id, purpose: 'available' },
    lines: [{ step: 'moved', sourceType: 'adjustment', amount: '12500000', balanceAfter: '12500000' }],
  })
  expect(await operator.ledger.check({})).toMatchObject({ ok: true, findings: [] })
})

test('nobody else does: not a member, not an owner, not an API key', async () => {
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
