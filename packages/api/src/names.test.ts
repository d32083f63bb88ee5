import type { Operation, OperationMeta } from '@payments/platform'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { call, newCollectionBody, newMerchant, useService } from '#testing'
import { appRouter } from './index.ts'

const service = useService()

interface Definition {
  readonly type: string
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
  readonly out?: z.ZodType
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly element?: z.ZodType
  readonly valueType?: z.ZodType
  readonly options?: readonly z.ZodType[]
  readonly left?: z.ZodType
  readonly right?: z.ZodType
}

/** What a schema says of the texts in it, with the name of the field of each; found by walking it, so that a new field is found by itself. */
function textsOf(schema: z.ZodType, name: string, found: Map<string, z.ZodType[]>): void {
  const def = schema._zod.def as unknown as Definition
  if (def.type === 'string') found.set(name, [...(found.get(name) ?? []), schema])
  for (const [property, each] of Object.entries(def.shape ?? {})) textsOf(each, property, found)
  for (const each of [def.innerType, def.in, def.out, def.element, def.left, def.right, def.valueType])
    if (each) textsOf(each, name, found)
  for (const each of def.options ?? []) textsOf(each, name, found)
}

const accepts = (schema: z.ZodType, text: string): boolean => schema.safeParse(text).success
/** Takes words of people in any alphabet: neither an id nor a code, an address, a hash or a choice. */
const isFree = (schema: z.ZodType): boolean => accepts(schema, 'Ada') && accepts(schema, 'Ада')

/** Fields that name something that exists, and are refused where it does not: ids, and codes of networks, currencies and banks. */
const LOOKED_UP = /(id|key|keys|code|currency|currencies|networks|assets|statuses|types?|events)$/i

/** Other fields that take any words, and why nobody is misled by them. */
const NOT_SHOWN: Readonly<Record<string, string>> = {
  text: 'of a search; of a view, which keeps a search',
  before: 'a position in a list',
  after: 'a position in a list',
  refreshToken: 'a secret, which must exist',
  address: 'of a wallet, whose form its network checks',
  destinationAddress: 'of a wallet, whose form its network checks',
  refundAddress: 'of a wallet, whose form its network checks',
  evm: 'of a wallet, whose form its network checks',
  svm: 'of a wallet, whose form its network checks',
  tvm: 'of a wallet, whose form its network checks',
  asset: 'a symbol that must exist',
  timeZone: 'of the zones that the database knows',
  columns: 'of a file, which has them',
  url: 'of a webhook endpoint, which must be an HTTPS address',
  accountNumber: 'digits, by the rule of the institution',
  businessNumber: 'digits, by the rule of the institution',
  accountName: 'the holder as the bank has it, which is compared',
  firstName: 'compared with the register of BVNs',
  lastName: 'compared with the register of BVNs',
  reference: 'the number that a merchant gives an order, shown to the merchant',
}

test('no name that another person reads imitates a known one: every field of every operation refuses it, or is listed with the reason', () => {
  const procedures = Object.entries(
    appRouter._def.procedures as unknown as Record<
      string,
      { readonly _def: { readonly meta: OperationMeta & { readonly operation: Operation } } }
    >,
  )
  const open = new Map<string, Set<string>>()
  for (const [procedure, { _def }] of procedures) {
    // Operators write to operators.
    if (_def.meta.access === 'operator') continue
    const found = new Map<string, z.ZodType[]>()
    textsOf(_def.meta.operation.input, procedure, found)
    for (const [name, schemas] of found)
      if (schemas.some((each) => isFree(each) && accepts(each, 'РayРal')))
        open.set(name, (open.get(name) ?? new Set()).add(procedure))
  }
  const unexplained = [...open]
    .filter(([name]) => !LOOKED_UP.test(name) && !(name in NOT_SHOWN))
    .map(([name, at]) => `${name}: ${[...at]}`)
  expect(unexplained).toEqual([])
  expect(Object.keys(NOT_SHOWN).filter((name) => !open.has(name))).toEqual([])
})

const FAKE = 'Must not imitate a known name with similar characters'
const MIXED = 'Must not mix letters of several alphabets'

test.each(['test', 'live'] as const)(
  '"РayРal" is no name that payers see in %s, of an organisation, of a collection or of what it sells',
  async (environment) => {
    const merchant = await newMerchant(service, { environment })
    const refused = async (call: string, body: object) => {
      const { status, body: reply } = await merchant.call(call, { body })
      return [status, reply.errors]
    }
    for (const displayName of ['РayРal', 'PayPa1', 'Ρaypal'])
      expect((await refused('PATCH /v1/branding', { displayName }))[0]).toBe(422)
    expect(await refused('PATCH /v1/branding', { displayName: 'РayРal', legalName: 'V1sa' })).toEqual([
      422,
      { displayName: MIXED, legalName: FAKE },
    ])
    const branding = { displayName: 'РayРal', legalName: 'РayРal', address: 'РayРal House' }
    expect(
      await refused('POST /v1/collections', newCollectionBody({ branding, title: 'РayРal', description: 'V1sa' })),
    ).toEqual([
      422,
      {
        'branding.displayName': MIXED,
        'branding.legalName': MIXED,
        'branding.address': FAKE,
        title: FAKE,
        description: FAKE,
      },
    ])
    const device = await call(service, 'POST /v1/auth/device', { body: { clientName: 'РayРal' }, key: null })
    expect([device.status, device.body.errors]).toEqual([422, { clientName: MIXED }])
    if (environment === 'live') return
    const { status } = await merchant.call('PATCH /v1/branding', {
      body: { displayName: 'PayPal кафе', legalName: 'Ada Ltd' },
    })
    expect(status).toBe(200)
  },
)
