import { createPublicKey, randomBytes, randomInt, verify } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkFingerprints } from '@payments/platform'
import bs58 from 'bs58'
import { HDKey } from 'micro-key-producer/slip10.js'
import { expect, test } from 'vitest'
import { connected, newMerchant, newSwap, tableContents, useService } from '#testing'
import { addressTask, listAddresses, TAKE, takeAddress } from './addresses.ts'
import { addressAt, pathOf, seedBytes, signersFrom } from './keys.ts'

const SEED = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
const SWAP_SEED = Buffer.alloc(32, 7).toString('base64')
const service = useService({ settings: { SWAP_SEED } })
const other = useService({ settings: { SWAP_SEED, PROCESS_ROLE: 'gateway' } })
const busy = useService({ settings: { SWAP_SEED, PROCESS_ROLE: 'gateway' } })

test('keys are derived as SLIP-0010 says: as a library does whose own first test vector is that of the standard', () => {
  const vector = HDKey.fromMasterSeed(SEED).derive("m/0'/1'/2'/2'/1000000000'")
  expect(Buffer.from(vector.publicKeyRaw).toString('hex')).toBe(
    '3c24da049451555d51a7014a37337aa4e12d41e485abccfa46b47dfb2af54b7a',
  )
  const indexes = [0, 1, 127, 128, 255, 256, 65_535, 65_536, 2 ** 31 - 1]
  for (const seed of [SEED, Buffer.alloc(64, 0xff), ...Array.from({ length: 20 }, () => randomBytes(32))])
    for (const environment of ['test', 'live'] as const)
      for (const index of [...indexes.slice(0, seed === SEED ? undefined : 2), randomInt(2 ** 31)])
        expect(addressAt(seed, environment, index)).toBe(
          bs58.encode(HDKey.fromMasterSeed(seed).derive(pathOf(environment, index)).publicKeyRaw),
        )
})

test('an address is the public key of its path, whose private key signs for it; environments share none', async () => {
  const address = addressAt(SEED, 'live', 7)
  const { deposit, feePayer } = signersFrom(SEED, 'live')
  const message = Buffer.from('a transaction')
  const x = Buffer.from(bs58.decode(address)).toString('base64url')
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  expect(verify(null, message, publicKey, await deposit(7).sign(message))).toBe(true)
  expect(verify(null, message, publicKey, await feePayer.sign(message))).toBe(false)
  expect([pathOf('live', 7), pathOf('test', 7)]).toEqual(["m/44'/501'/0'/7'", "m/44'/501'/1'/7'"])
  expect(addressAt(SEED, 'test', 7)).not.toBe(address)
})

test('parallel swaps have an index and an address each, which follow from the seed', async () => {
  const merchant = await newMerchant(service)
  const made = await Promise.all(Array.from({ length: 12 }, () => newSwap(merchant)))
  const { rows } = await service.runtime.pool.query<{ id: string; derivation_index: number; deposit_address: string }>(
    'select id, derivation_index, deposit_address from swaps where organisation_id = $1',
    [merchant.organisationId],
  )
  expect(new Set(rows.map((row) => row.derivation_index)).size).toBe(12)
  for (const row of rows) {
    expect(row.deposit_address).toBe(addressAt(seedBytes(SWAP_SEED), 'test', row.derivation_index))
    expect(made.find(({ id }) => id === row.id)?.depositAddress).toBe(row.deposit_address)
  }
})

test('the next addresses are found by index, by one plan for any number, also by statistics of a moment in which many were ready', async () => {
  const owner = await connected(service)
  await owner.query('begin')
  await owner.query(
    `insert into swap_addresses (environment, derivation_index, address)
     select 'live', n, 'ready ' || n from generate_series(1000000, 1020000) as n`,
  )
  await owner.query('analyze swap_addresses')
  await owner.query('set local plan_cache_mode = force_generic_plan')
  await owner.query(`prepare taken (text, int) as ${TAKE}`)
  const { rows } = await owner.query<{ 'QUERY PLAN': string }>("explain execute taken ('live', 3)")
  await owner.query('rollback')
  await owner.end()
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan.match(/(Index|Bitmap) .*Scan/g)?.length, plan).toBeGreaterThan(1)
  expect(plan).not.toContain('Seq Scan')
})

test('an address is found again from the seed alone, also when its row is lost', async () => {
  const merchant = await newMerchant(service)
  const { id, depositAddress } = await newSwap(merchant)
  const lost = { query: async () => ({ rows: [] }) }
  const range = { from: 0, count: 300 }
  const known = await listAddresses(service.runtime.pool, SWAP_SEED, 'test', range)
  expect(known.find(({ address }) => address === depositAddress)).toMatchObject({
    swapId: id,
    status: 'awaiting_deposit',
  })
  const found = await listAddresses(lost, SWAP_SEED, 'test', range)
  expect(found.find(({ address }) => address === depositAddress)).toMatchObject({ swapId: null, status: null })
  expect(found.map(({ index }) => index)).toEqual(Array.from({ length: 300 }, (_, index) => index))
})

test('a worker keeps addresses ready for gateways, which use no seed and answer 503 while there is none', async () => {
  const merchant = await newMerchant(other)
  const refused = await merchant.call('POST /v1/swaps', {
    body: {
      fromCurrency: 'EURC',
      toCurrency: 'USDC',
      amount: '100',
      destinationAddress: '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA',
    },
  })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  await addressTask.run(other.runtime)
  const worker = { ...other.runtime, settings: { ...other.runtime.settings, PROCESS_ROLE: 'worker' } }
  for (let time = 0; time < 2; time++) await addressTask.run(worker)
  const { rows } = await other.runtime.pool.query(
    "select count(*)::int as ready from swap_addresses where environment = 'test'",
  )
  expect(rows).toEqual([{ ready: 100 }])
  const { depositAddress } = await newSwap(merchant)
  expect(depositAddress).toBe(addressAt(seedBytes(SWAP_SEED), 'test', 0))
})

test('a swap waits for the addresses that a worker is about to derive, when all that were ready are taken', async () => {
  const merchant = await newMerchant(busy)
  await busy.runtime.pool.query('update swap_addresses set taken_at = now() where taken_at is null')
  const worker = { ...busy.runtime, settings: { ...busy.runtime.settings, PROCESS_ROLE: 'worker' } }
  const [made] = await Promise.all([newSwap(merchant), sleep(300).then(() => addressTask.run(worker))])
  expect(made.status).toBe('awaiting_deposit')
})

test('workers are asked for more addresses long before all that were ready are taken', async () => {
  const worker = { ...busy.runtime, settings: { ...busy.runtime.settings, PROCESS_ROLE: 'worker' } }
  await addressTask.run(worker)
  const asked: string[] = []
  const gateway = { ...busy.runtime, trigger: (task: string) => void asked.push(task) }
  for (let taken = 0; taken < 30; taken++) await takeAddress(gateway, 'test')
  expect(asked).toContain(addressTask.name)
})

test('another seed than the one that the addresses were derived from stops the start by name', async () => {
  const { pool, settings, domains } = service.runtime
  await checkFingerprints(pool, domains, settings)
  const changed = { ...settings, SWAP_SEED: Buffer.alloc(32, 8).toString('base64') }
  await expect(checkFingerprints(pool, domains, changed)).rejects.toThrow('SWAP_SEED: the database was written')
  const { rows } = await pool.query("select digest from setting_fingerprints where setting = 'SWAP_SEED'")
  expect(JSON.stringify(rows)).not.toContain(SWAP_SEED)
})

test('the seed is in no table and in no line of the log', async () => {
  const merchant = await newMerchant(service)
  await newSwap(merchant)
  for (const [table, text] of await tableContents(service.database)) expect(text.includes(SWAP_SEED), table).toBe(false)
  expect(service.logs.join('\n')).not.toContain(SWAP_SEED)
})

test('60 parallel swaps without any address ready all get one of their own', async () => {
  const merchant = await newMerchant(service)
  await service.runtime.pool.query('update swap_addresses set taken_at = now() where taken_at is null')
  const made = await Promise.all(Array.from({ length: 60 }, () => newSwap(merchant)))
  expect(new Set(made.map(({ depositAddress }) => depositAddress)).size).toBe(60)
})
