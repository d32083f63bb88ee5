import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { expectConsistent, fund, newMerchant, newOfframpBody, newOnrampBody, tableContents, useService } from '#testing'
import { pollAfter } from '../../test/orders.ts'

const service = useService()

test('anonymising a customer erases the holder of their own accounts from orders, list, events, replies and bank answers; whom they paid stays', async () => {
  const merchant = await newMerchant(service)
  // The sandbox's banks know every account under this name.
  const person = { name: 'Ada Obi', email: 'ada@example.com' }
  const { id: customerId } = (await merchant.call('POST /v1/customers', { body: person })).body.data
  const key = newId()
  const refundBankAccount = { accountNumber: '0123456789', bankCode: '058', accountName: 'OBI, Adá' }
  const own = { key, body: newOfframpBody({ customerId }) }
  const offramp = (await merchant.call('POST /v1/offramps', own)).body.data
  const onramp = (await merchant.call('POST /v1/onramps', { body: newOnrampBody({ customerId, refundBankAccount }) }))
    .body.data
  const paid = { accountNumber: '0123456788', bankCode: '058', accountName: 'Bola Ade' }
  const other = (await merchant.call('POST /v1/offramps', { body: newOfframpBody({ customerId, bankAccount: paid }) }))
    .body.data
  expect(offramp.bankAccount.accountName).toBe('OBI ADA')
  await fund(merchant, 'offramp', offramp.id)
  await pollAfter(service, merchant, 'offramp', offramp.id, 10)

  expect((await merchant.call(`POST /v1/customers/${customerId}/anonymise`)).status).toBe(200)
  for (const [name, text] of await tableContents(service.database))
    expect([name, text.match(/obi,? ad[aá]|ada obi/i)?.[0] ?? null]).toEqual([name, null])
  const show = async (kind: string, id: string) => (await merchant.call(`GET /v1/${kind}s/${id}`)).body.data
  expect(await show('offramp', offramp.id)).toMatchObject({
    status: 'delivered',
    convertedAmount: offramp.convertedAmount,
    bankAccount: { accountName: 'Anonymised customer', accountNumber: '0123456789' },
    accountCheck: { accountName: 'Anonymised customer' },
  })
  expect((await show('onramp', onramp.id)).refundBankAccount.accountName).toBe('Anonymised customer')
  expect((await show('offramp', other.id)).bankAccount.accountName).toBe('Bola Ade')
  const replayed = await merchant.call('POST /v1/offramps', own)
  expect([replayed.headers.get('idempotent-replayed'), replayed.body.data.bankAccount.accountName]).toEqual([
    'true',
    'Anonymised customer',
  ])
  // What happens later is announced without the name.
  await fund(merchant, 'onramp', onramp.id)
  await pollAfter(service, merchant, 'onramp', onramp.id, 10)
  for (const [name, text] of await tableContents(service.database))
    expect([name, text.match(/obi,? ad[aá]|ada obi/i)?.[0] ?? null]).toEqual([name, null])
  await expectConsistent(service)
})
