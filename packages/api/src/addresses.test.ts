import { readFileSync } from 'node:fs'
import { canonicalAddress, cngnContracts, type NetworkType, tokenContracts } from '@payments/kernel'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  call,
  cngnBodies,
  enabledByWorker,
  type Merchant,
  newCollection,
  newCollectionBody,
  newCustomer,
  newMerchant,
  newOfframpBody,
  newOnrampBody,
  newRouteBody,
  newSwapBody,
  START_SESSION,
  signedIn,
  useService,
} from '#testing'

const service = useService({ worker: true })

/** What is no wallet on each type of network, in the words of the refusal. */
const NO_WALLETS: Readonly<Record<NetworkType, readonly (readonly [address: string, what: string])[]>> = {
  evm: [
    [cngnContracts.base.cNGN, 'the contract of cNGN'],
    [tokenContracts.base?.USDC ?? '', 'the contract of USDC'],
    [(tokenContracts.ethereum?.USDT ?? '').toLowerCase(), 'the contract of USDT'],
  ],
  svm: [
    [tokenContracts.solana?.EURC ?? '', 'the mint of EURC'],
    [cngnContracts.solana.cNGN, 'the mint of cNGN'],
    ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'the Token program'],
    ['SysvarRent111111111111111111111111111111111', 'a program or an account of Solana itself'],
  ],
  tvm: [[tokenContracts.tron?.USDT ?? '', 'the contract of USDT']],
}

/** Accounts of programs, which are no points of the curve. */
const OFF_CURVE = ['4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T', 'D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf']
const NO_KEY =
  'Must be a wallet: this Solana address has no private key, it is a token account or another account of a program. Set allowOffCurve to true if that program is to receive, such as a multisig'

/** A request whose only mistake is its address. */
interface Door {
  readonly body: (address: string) => object
  readonly type: NetworkType
  /** The values of the path. */
  readonly path?: () => string
}

let merchant: Merchant
let customerId: string
let collectionId: string
let owner: string
beforeAll(async () => {
  merchant = await newMerchant(service)
  const { organisationId } = merchant
  owner = (await signedIn(service.runtime, { organisationId, role: 'owner' })).accessToken
  customerId = await newCustomer(merchant)
  collectionId = (await newCollection(merchant)).id
})

const onSolana = { networkKey: 'solana', currency: 'USDC' } as const
const out = { amount: '100', fromCurrency: 'cNGN', toCurrency: 'USDC', networkKey: 'base' } as const
const convert = (more: object) => ({ customerId, ...more })

/** Every field of the interface that takes an address of a network, with requests for the types of networks that it takes. */
const DOORS: Readonly<Record<string, readonly Door[]>> = {
  'post /payment-routes destinationAddress': [
    { type: 'evm', body: (destinationAddress) => newRouteBody({ destinationAddress }) },
    { type: 'svm', body: (destinationAddress) => newRouteBody({ destinationChainKey: 'solana', destinationAddress }) },
  ],
  'post /payment-routes refundAddress': [
    { type: 'evm', body: (refundAddress) => newRouteBody({ refundAddress }) },
    { type: 'svm', body: (refundAddress) => newRouteBody({ originChainKey: 'solana', refundAddress }) },
    {
      type: 'tvm',
      body: (refundAddress) => newRouteBody({ originChainKey: 'tron', originCurrency: 'USDT', refundAddress }),
    },
  ],
  'patch /payment-routes/refund-addresses evm': [{ type: 'evm', body: (evm) => ({ evm }) }],
  'patch /payment-routes/refund-addresses svm': [{ type: 'svm', body: (svm) => ({ svm }) }],
  'patch /payment-routes/refund-addresses tvm': [{ type: 'tvm', body: (tvm) => ({ tvm }) }],
  'post /collections destinationAddress': [
    { type: 'evm', body: (destinationAddress) => newCollectionBody({ destinationAddress }) },
    {
      type: 'svm',
      body: (destinationAddress) => newCollectionBody({ destinationChainKey: 'solana', destinationAddress }),
    },
  ],
  'post /collections/preview destinationAddress': [
    { type: 'evm', body: (destinationAddress) => newCollectionBody({ destinationAddress }) },
  ],
  'post /pay/{collectionId} refundAddress': [
    { type: 'evm', path: () => collectionId, body: (refundAddress) => ({ ...START_SESSION, refundAddress }) },
    {
      type: 'svm',
      path: () => collectionId,
      body: (refundAddress) => ({ ...START_SESSION, ...onSolana, refundAddress }),
    },
  ],
  'post /swaps destinationAddress': [
    { type: 'svm', body: (destinationAddress) => newSwapBody({ destinationAddress }) },
  ],
  'post /swaps refundAddress': [{ type: 'svm', body: (refundAddress) => newSwapBody({ refundAddress }) }],
  'post /offramps refundAddress': [{ type: 'evm', body: (refundAddress) => newOfframpBody({ refundAddress }) }],
  'post /onramps destinationAddress': [
    { type: 'evm', body: (destinationAddress) => newOnrampBody({ destinationAddress }) },
  ],
  'post /cngn/converts destinationAddress': [
    { type: 'evm', body: (destinationAddress) => convert({ ...out, destinationAddress }) },
    { type: 'svm', body: (destinationAddress) => convert({ ...out, networkKey: 'solana', destinationAddress }) },
  ],
  'post /cngn/converts refundAddress': [
    { type: 'evm', body: (refundAddress) => convert({ ...cngnBodies.converts, refundAddress }) },
  ],
  'post /cngn/withdrawals address': [
    { type: 'evm', body: (address) => convert({ ...cngnBodies.withdrawals, address }) },
    { type: 'svm', body: (address) => convert({ ...cngnBodies.withdrawals, networkKey: 'solana', address }) },
  ],
  'patch /payout-controls allowedDestinations.0.address': [
    {
      type: 'evm',
      body: (address) => ({ allowedDestinations: [{ type: 'wallet', networkKey: 'base', address }] }),
    },
    {
      type: 'svm',
      body: (address) => ({ allowedDestinations: [{ type: 'wallet', networkKey: 'solana', address }] }),
    },
  ],
}

/** Paths that only people may use. */
const DASHBOARD: ReadonlySet<string> = new Set(['/collections/preview', '/payout-controls'])

interface Schema {
  readonly $ref?: string
  readonly example?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}
interface Described {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

const TYPES: readonly NetworkType[] = ['evm', 'svm', 'tvm']
const isAddress = (text: unknown) => typeof text === 'string' && TYPES.some((type) => canonicalAddress(type, text))

/** The fields of a document's requests whose example is an address. */
function addressFields(file: string): string[] {
  const document: {
    paths: Record<string, Record<string, Described>>
    components: { schemas: Record<string, Schema> }
  } = JSON.parse(readFileSync(new URL(`../../../docs/derived/${file}`, import.meta.url), 'utf8'))
  const within = (given: Schema, path: readonly string[]): string[] => {
    const schema = given.$ref ? (document.components.schemas[given.$ref.split('/').at(-1) ?? ''] ?? {}) : given
    const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
    return [
      ...(isAddress(schema.example) ? [path.join('.')] : []),
      ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => within(each, [...path, name])),
      ...parts.flatMap((each) => within(each, path)),
      ...(schema.items ? within(schema.items, [...path, '0']) : []),
    ]
  }
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody }]) => {
      const fields = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => within(schema, []))
      return [...new Set(fields)].map((field) => `${method} ${path} ${field}`)
    }),
  )
}

/** The request with `allowOffCurve` where its addresses are. */
function allowing(body: object, allowOffCurve: boolean | undefined): object {
  if (allowOffCurve === undefined) return body
  if (!('allowedDestinations' in body)) return { ...body, allowOffCurve }
  return {
    allowedDestinations: (body.allowedDestinations as readonly object[]).map((each) => ({ ...each, allowOffCurve })),
  }
}

type Given = readonly (readonly [what: string, address: string])[]
let known: Promise<Readonly<Record<NetworkType, Given>>> | undefined
/** Deposit addresses of every kind of object, of another organisation, and the wallet that pays fees. */
const givenAddresses = () => {
  known ??= makeAddresses()
  return known
}
async function makeAddresses(): Promise<Readonly<Record<NetworkType, Given>>> {
  const other = await newMerchant(service)
  const customer = await enabledByWorker(other)
  const post = async (path: string, body: object, key = other.key) => {
    const answer = await call(service, `POST /v1${path}`, { body, token: key })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body.data as Record<string, unknown>
  }
  const route = (more: Record<string, unknown>) => post('/payment-routes', newRouteBody(more))
  const [evm, svm, tvm, swap, offramp] = await Promise.all([
    route({}),
    route({ originChainKey: 'solana' }),
    route({ originChainKey: 'tron', originCurrency: 'USDT' }),
    post('/swaps', newSwapBody()),
    post('/offramps', newOfframpBody()),
  ])
  const session = await post(`/pay/${(await newCollection(other)).id}`, START_SESSION)
  const convert = await post('/cngn/converts', { customerId: customer, ...cngnBodies.converts })
  const { rows: ready } = await service.runtime.pool.query<{ address: string }>(
    'select address from swap_addresses where taken_at is null limit 1',
  )
  const feePayer = 'AedKk7ZxEEZeT9SnKeLcEf4PKt45taSoCBCQP4AKgHYo'
  await service.runtime.pool.query(
    "insert into swap_fee_payers (environment, address, lamports, read_at) values ('test', $1, 0, now())",
    [feePayer],
  )
  const deposit = 'a deposit address of this service'
  const addressOf = (each: Record<string, unknown>) =>
    [deposit, String((each.deposit as { address?: string } | null)?.address ?? each.depositAddress)] as const
  return {
    evm: [evm, session, offramp, convert].map(addressOf),
    svm: [
      ...[svm, swap].map(addressOf),
      [deposit, ready[0]?.address ?? ''],
      ['the wallet from which this service pays the fees of the network', feePayer],
    ],
    tvm: [addressOf(tvm)],
  }
}

test('every request field that takes an address is among those that are tried here', () => {
  const described = ['openapi.json', 'openapi-operators.json'].flatMap(addressFields)
  expect([...new Set(described)].sort()).toEqual(Object.keys(DOORS).sort())
})

describe.each(Object.entries(DOORS))('%s', (name, doors) => {
  const [method = '', template = '', field = ''] = name.split(' ')

  test('refuses contracts and mints of tokens and programs on its field, and says what they are', async () => {
    for (const { type, body, path } of doors) {
      const line = `${method.toUpperCase()} /v1${template.replace(/\{\w+\}/, path ?? (() => ''))}`
      for (const [address, what] of NO_WALLETS[type]) {
        const answer = await call(service, line, {
          body: body(address),
          token: DASHBOARD.has(template) ? owner : merchant.key,
        })
        expect([answer.status, answer.body.errors], `${line} ${type} ${answer.text}`).toEqual([
          422,
          { [field]: `Must be a wallet: this is ${what}, and what is sent there is lost` },
        ])
      }
    }
  })

  test('refuses accounts of Solana without a key, and takes them with `allowOffCurve` alone', async () => {
    for (const { body, path } of doors.filter(({ type }) => type === 'svm')) {
      const line = `${method.toUpperCase()} /v1${template.replace(/\{\w+\}/, path ?? (() => ''))}`
      const send = (address: string, allowOffCurve: boolean | undefined) =>
        call(service, line, {
          body: allowing(body(address), allowOffCurve),
          token: DASHBOARD.has(template) ? owner : merchant.key,
        })
      for (const address of OFF_CURVE)
        for (const allowed of [undefined, false]) {
          const answer = await send(address, allowed)
          expect([answer.status, answer.body.errors], `${line} ${answer.text}`).toEqual([422, { [field]: NO_KEY }])
        }
      for (const address of OFF_CURVE) {
        const answer = await send(address, true)
        // What else a request of this test lacks, such as money, is no mistake of its address.
        expect(answer.body.errors?.[field], `${line} ${answer.text}`).toBeUndefined()
      }
    }
  })

  test('refuses each address that this service has given out for deposits, to any organisation', async () => {
    const given = await givenAddresses()
    for (const { type, body, path } of doors) {
      const line = `${method.toUpperCase()} /v1${template.replace(/\{\w+\}/, path ?? (() => ''))}`
      for (const [what, address] of given[type])
        for (const spelling of type === 'evm' ? [address, address.toLowerCase()] : [address]) {
          const answer = await call(service, line, {
            body: allowing(body(spelling), type === 'svm' || undefined),
            token: DASHBOARD.has(template) ? owner : merchant.key,
          })
          expect([answer.status, answer.body.errors], `${line} ${type} ${answer.text}`).toEqual([
            422,
            { [field]: `Must be another wallet: this is ${what}` },
          ])
        }
    }
  })
})
