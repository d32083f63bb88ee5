import { bind, newId } from '@payments/kernel'
import { providers } from '@payments/platform'
import { expect, test } from 'vitest'
import { BVN, bankTransfer, expectConsistent, newCngn, newMerchant, tableContents, useService } from '#testing'
import { moveOn, show, verify } from '../../test/money.ts'
import { customerAccountsProvider, identityProvider } from '../provider/provider.ts'

const service = useService()
const person = {
  ...{ name: 'Zerubabel Quint', email: 'zerubabel@example.com', phoneNumber: '+2348019998877' },
  ...{ address: '7 Quintbury Street', country: 'NG', taxId: 'QUINT-4711' },
}

test('anonymising a customer erases the name from account, payins, own payouts, list, events and replies; amounts stay', async () => {
  const merchant = await newMerchant(service)
  const { id } = (await merchant.call('POST /v1/customers', { body: person })).body.data
  await merchant.call(`POST /v1/cngn/customers/${id}/enable`, {
    body: { bvn: BVN, firstName: 'Zerubabel', lastName: 'Quint' },
  })
  await verify(service, id)
  await bankTransfer(merchant, id, '2000')
  const key = newId()
  const creation = { body: { customerId: id, amount: '500' }, key }
  const payin = (await merchant.call('POST /v1/cngn/payins', creation)).body.data
  await merchant.call(`POST /v1/sandbox/cngn/payins/${payin.id}/payments`, { body: {} })
  await moveOn(service, merchant, 3)
  const own = { bankAccount: { accountNumber: '0123456789', bankCode: '058', accountName: 'QUINT ZERUBABEL' } }
  const payout = await newCngn(merchant, 'payouts', id, own)
  const other = await newCngn(merchant, 'payouts', id, {
    bankAccount: { ...own.bankAccount, accountNumber: '0123456788', accountName: 'Bola Ade' },
  })
  await moveOn(service, merchant)
  const before = (await merchant.call(`GET /v1/transactions?customerId=${id}`)).body.data

  const done = await merchant.call(`POST /v1/customers/${id}/anonymise`)
  expect([done.status, done.body.data?.cngn]).toEqual([200, { status: 'enabled', failureReason: null }])
  for (const [name, text] of await tableContents(service.database))
    expect([name, text.match(/zerubabel|quint|8019998877/i)?.[0] ?? null]).toEqual([name, null])
  expect((await show(merchant, 'payouts', payout.id)).bankAccount.accountName).toBe('Anonymised customer')
  // Whom a customer paid is not the customer.
  expect((await show(merchant, 'payouts', other.id)).bankAccount.accountName).toBe('Bola Ade')
  const account = (await merchant.call(`GET /v1/cngn/customers/${id}/virtual-account`)).body.data
  expect(account.accountName).toBe('Anonymised customer')
  const after = (await merchant.call(`GET /v1/transactions?customerId=${id}`)).body.data
  const amounts = ({ transactions }: typeof after) =>
    transactions.map((each: Record<string, unknown>) => [each.id, each.status, each.amount])
  expect(amounts(after)).toEqual(amounts(before))
  const replayed = await merchant.call('POST /v1/cngn/payins', creation)
  expect([replayed.headers.get('idempotent-replayed'), replayed.body.data.account.accountName]).toEqual([
    'true',
    'Anonymised customer',
  ])
  // What arrives later is in no old name either.
  await bankTransfer(merchant, id, '70')
  await moveOn(service, merchant, 3)
  for (const [name, text] of await tableContents(service.database))
    expect([name, text.match(/zerubabel|quint/i)?.[0] ?? null]).toEqual([name, null])
  await expectConsistent(service)
})

test('a verification on its way creates no account in the old name, whenever the customer is anonymised', async () => {
  for (const when of ['before', 'during the register', 'during the account'] as const) {
    const merchant = await newMerchant(service)
    const { id } = (await merchant.call('POST /v1/customers', { body: { ...person, email: `${newId()}@example.com` } }))
      .body.data
    await merchant.call(`POST /v1/cngn/customers/${id}/enable`, { body: { bvn: BVN } })
    const anonymise = async () =>
      expect((await merchant.call(`POST /v1/customers/${id}/anonymise`)).body.data.cngn).toEqual({
        status: 'failed',
        failureReason: 'verification_unavailable',
      })
    if (when === 'before') await anonymise()
    let opened = 0
    const register = {
      name: 'slow',
      async verifyBvn() {
        if (when === 'during the register') await anonymise()
        return { outcome: 'match' as const }
      },
    }
    const accounts = service.runtime.providers.sandbox(customerAccountsProvider)
    const slow = {
      ...accounts,
      async virtualAccount(...given: Parameters<typeof accounts.virtualAccount>) {
        opened++
        if (when === 'during the account') await anonymise()
        return accounts.virtualAccount(...given)
      },
    }
    await verify(service, id, {
      ...service.runtime,
      providers: providers([
        bind(identityProvider, 'test', register),
        bind(customerAccountsProvider, 'test', slow as never),
      ]),
    })
    expect([when, opened]).toEqual([when, when === 'during the account' ? 1 : 0])
    const { rows } = await service.runtime.pool.query(
      'select account_name from cngn_virtual_accounts where customer_id = $1',
      [id],
    )
    expect([when, rows]).toEqual([when, []])
    for (const [name, text] of await tableContents(service.database))
      expect([when, name, text.match(/zerubabel|quint|8019998877/i)?.[0] ?? null]).toEqual([when, name, null])
  }
})

test('a verification that ends at the same moment leaves no account in the old name', async () => {
  const merchant = await newMerchant(service)
  const { id } = (await merchant.call('POST /v1/customers', { body: { ...person, email: 'crash@example.com' } })).body
    .data
  await merchant.call(`POST /v1/cngn/customers/${id}/enable`, { body: { bvn: BVN } })
  await Promise.all([verify(service, id), merchant.call(`POST /v1/customers/${id}/anonymise`)])
  const { name } = (await merchant.call(`GET /v1/customers/${id}`)).body.data
  expect(name).toBe('Anonymised customer')
  const { rows } = await service.runtime.pool.query(
    "select account_name from cngn_virtual_accounts where customer_id = $1 and account_name <> 'Anonymised customer'",
    [id],
  )
  expect(rows).toEqual([])
})
