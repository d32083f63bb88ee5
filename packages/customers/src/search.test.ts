import { expect, test } from 'vitest'
import { connected, type Merchant, newMerchant, useService } from '#testing'

const service = useService()

interface Page {
  readonly customers: readonly { readonly id: string; readonly name: string }[]
  readonly total: number | null
  readonly next: string | null
}

const search = async (of: Merchant, body: object) =>
  (await of.call('POST /v1/customers/search', { body })).body.data as Page
const names = async (of: Merchant, text: string) => (await search(of, { text })).customers.map(({ name }) => name)
const create = async (of: Merchant, name: string, email: string, more = {}) =>
  (await of.call('POST /v1/customers', { body: { name, email, ...more } })).body.data.id as string

test('words find the customers of the organisation whose name, email address or phone number have words that begin so, until they are anonymised', async () => {
  const [merchant, other] = await Promise.all([newMerchant(service), newMerchant(service)])
  const ada = await create(merchant, 'Ada Obi', 'ada.obi@merchant.example', { phoneNumber: '+2348012345678' })
  await create(merchant, 'Zoë O’Neill', 'zoe@elsewhere.example')
  await create(other, 'Ada Obi', 'ada.obi@merchant.example')
  expect(await names(merchant, 'OBI ad')).toEqual(['Ada Obi'])
  expect(await names(merchant, 'ada.obi@merchant.example')).toEqual(['Ada Obi'])
  expect(await names(merchant, 'elsewhere')).toEqual(['Zoë O’Neill'])
  expect(await names(merchant, 'zoë')).toEqual(['Zoë O’Neill'])
  expect(await names(merchant, '+23480123')).toEqual(['Ada Obi'])
  expect(await names(merchant, ada)).toEqual(['Ada Obi'])
  expect(await names(merchant, 'bi')).toEqual([])
  expect(await names(other, ada)).toEqual([])
  await merchant.call(`POST /v1/customers/${ada}/anonymise`)
  expect(await names(merchant, 'obi')).toEqual([])
})

test('capitals and marks of every script are folded, in what is stored as in what is searched for, whatever the locale of the database', async () => {
  const merchant = await newMerchant(service)
  await create(merchant, 'Ọlá Adébáyọ̀', 'ola@merchant.example')
  await create(merchant, 'ZOË ÅNGSTRÖM', 'zoe@merchant.example')
  await create(merchant, 'Ёлкин', 'yolkin@merchant.example')
  await create(merchant, 'ΑΘΗΝΑ Παπαδοπούλου', 'athina@merchant.example')
  const found: readonly (readonly [string, string])[] = [
    ['ola', 'Ọlá Adébáyọ̀'],
    ['OLÁ', 'Ọlá Adébáyọ̀'],
    ['ọla adebayo', 'Ọlá Adébáyọ̀'],
    ['adébàyo', 'Ọlá Adébáyọ̀'],
    ['zoe ang', 'ZOË ÅNGSTRÖM'],
    ['ångström', 'ZOË ÅNGSTRÖM'],
    ['елк', 'Ёлкин'],
    ['αθηνα παπαδ', 'ΑΘΗΝΑ Παπαδοπούλου'],
  ]
  for (const [text, name] of found) expect([text, await names(merchant, text)]).toEqual([text, [name]])
  const { rows } = await service.runtime.pool.query(
    'select datcollate from pg_database where datname = current_database()',
  )
  expect(rows).toEqual([{ datcollate: 'C' }])
})

test('pages of customers follow each other without a gap or a repetition, and their number is that of all; of a common word it is not counted', async () => {
  const merchant = await newMerchant(service)
  const first = await create(merchant, 'Ada', 'ada@merchant.example')
  const owner = await connected(service)
  await owner.query(
    `insert into customers select (jsonb_populate_record(c, jsonb_build_object('id', uuidv7(), 'email', n || c.email,
       'created_at', c.created_at - n / 2 * interval '1 minute'))).* from customers c, generate_series(1, 10001) n where c.id = $1`,
    [first],
  )
  await owner.end()
  expect((await search(merchant, {})).total).toBe(10_002)
  expect((await search(merchant, { to: new Date(Date.now() + 60_000).toISOString() })).total).toBe(10_002)
  const some = { text: '100 merchant' }
  const found: string[] = []
  let before: string | null = null
  do {
    const page: Page = await search(merchant, { ...some, limit: 5, ...(before ? { before } : {}) })
    // 100, 1000 to 1009, 10000 and 10001.
    expect(page.total).toBe(13)
    found.push(...page.customers.map(({ id }) => id))
    before = page.next
  } while (before)
  expect(new Set(found).size).toBe(13)
  const common = await search(merchant, { text: 'ada', limit: 2 })
  const next = await search(merchant, { text: 'ada', limit: 2, before: common.next })
  expect([common.total, next.total]).toEqual([null, null])
  expect(new Set([...common.customers, ...next.customers].map(({ id }) => id)).size).toBe(4)
})
