import { type FiatProvider, fiatProvider, sandboxFiat } from '@payments/fiat'
import { bind } from '@payments/kernel'
import { type RoutesProvider, routes, routesProvider } from '@payments/routes'
import { expect, test } from 'vitest'
import { act, newCollection, newMerchant, payPageOf, type TestService, useService } from '#testing'
import { getSession, inOrder } from '../test/sessions.ts'
import { pollTransfers, priced, settleTransfers } from '../test/transfers.ts'

/** What is asked of a provider, asked of another one once the service runs. */
const later = <P extends object>(name: string, of: () => P): P =>
  new Proxy({} as P, {
    get: (_, property) => (property === 'name' ? name : Reflect.get(of(), property)),
  })
const fiat = () => sandboxFiat(service.runtime.pool)
const [declared] = routes.providers ?? []
// In live there are no sandbox orders: their rules stand for those of a provider.
const service: TestService = useService({
  live: [
    bind(fiatProvider, 'live', later<FiatProvider>('bank', fiat)),
    bind(
      routesProvider,
      'live',
      later<RoutesProvider>(
        'carrier',
        () => declared?.create({ ...service.runtime, db: service.runtime.pool })[0]?.provider as RoutesProvider,
      ),
    ),
  ],
  settings: { REFUND_ADDRESS_EVM: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' },
})

const account = { accountNumber: '0123456789', bankCode: '058', accountName: 'Ada Obi' }

test('in live a payer who transfers names an account, to which a transfer goes back that cannot be delivered', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  const { id: linkId } = await newCollection(merchant, priced)
  expect((await payPageOf(service, linkId)).bankTransfer).toMatchObject({ refundAccountRequired: true })
  const begin = (refundBankAccount?: typeof account) =>
    act(service, linkId, {
      action: 'start',
      method: 'bank_transfer',
      networkKey: 'ethereum',
      currency: 'USDC',
      refundBankAccount,
    })
  const errorsOf = async (given?: typeof account) => {
    const { status, body } = await begin(given)
    return [status, body.errors]
  }
  expect(await errorsOf()).toEqual([
    422,
    { refundBankAccount: 'Required: a payment that cannot be delivered is sent back there' },
  ])
  expect(await errorsOf({ ...account, bankCode: '999' })).toEqual([
    422,
    { 'refundBankAccount.bankCode': 'Unknown bank "999": see GET /fiat/currencies/NGN/banks' },
  ])
  expect(await errorsOf({ ...account, accountNumber: '1' })).toEqual([
    422,
    { 'refundBankAccount.accountNumber': 'Must be 10 digits (NUBAN)' },
  ])
  const { pool } = service.runtime
  expect(
    (await pool.query('select 1 from onramps where organisation_id = $1', [merchant.organisationId])).rows,
  ).toEqual([])
  const { id } = (await begin(account)).body.data
  const { rows } = await pool.query<{ id: string }>(
    'select id from onramps where owner_id = $1 and refund_account_number = $2 and refund_bank_code = $3 and refund_account_name = $4',
    [id, account.accountNumber, account.bankCode, account.accountName],
  )
  expect(rows).toHaveLength(1)
  await fiat().simulatePayment(pool, { reference: rows[0]?.id ?? '', amount: 1_500_000n, outcome: 'refunded' })
  await settleTransfers(service, merchant)
  await pollTransfers(service, merchant)
  const { rows: refunds } = await pool.query('select status, destination from fiat_refunds where id = $1', [
    rows[0]?.id,
  ])
  expect(refunds).toEqual([{ status: 'completed', destination: account.accountNumber }])
  const session = await getSession(merchant, id)
  expect(session).toMatchObject({ status: 'returned', payments: [{ method: 'bank_transfer', status: 'refunded' }] })
  // The account of a payer is in no answer.
  expect(JSON.stringify([session, await payPageOf(service, id)])).not.toContain(account.accountNumber)
  await inOrder(service)
})
