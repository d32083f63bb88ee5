import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { address } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import bs58 from 'bs58'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { built, compileCache, freshDatabase, program, trustedCertificate } from '#testing'
import { MINTS, tokenAccountOf } from '../test/facts.ts'
import { expectJournalEqualsChain, type Live, startLive } from '../test/live.ts'

const EUR = 1_000_000n

const { tls, authority } = await trustedCertificate()
const seed = randomBytes(32)

let live: Live
// One for each test: what is swept for one database is unknown to another.
beforeEach(async () => {
  live = await startLive({ tls, seed })
  writeFileSync(join(live.service.dataDir, 'ca.pem'), authority)
})
afterEach(() => live.stop())

/** Runs `payments swap-addresses` with the settings of the service. `answer`: what is typed when it asks. */
async function run(options: readonly string[], answer = '', settings: Record<string, string> = {}) {
  const { service, world } = live
  await built()
  const child = spawn(process.execPath, [...program('swap-addresses'), ...options], {
    env: {
      ...compileCache,
      NODE_ENV: 'test',
      DATA_DIR: service.dataDir,
      DATABASE_URL: service.database.serviceUrl,
      DATABASE_OWNER_URL: service.database.ownerUrl,
      NODE_EXTRA_CA_CERTS: join(service.dataDir, 'ca.pem'),
      SWAP_SEED: seed.toString('base64'),
      SOLANA_RPC_URL: world.node.url,
      ...settings,
    },
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk
  })
  child.stdin.end(`${answer}\n`)
  const blocks = setInterval(() => world.chain.advance(), 300)
  const code = await new Promise((resolve) => child.once('exit', resolve))
  clearInterval(blocks)
  return { code, out, err }
}

test('what is at derived addresses is listed, and what no swap needs is swept after a confirmation, once', async () => {
  const { chain, signers } = live.world
  const wallet = bs58.encode(randomBytes(32))
  // An address whose row was lost, with tokens of both kinds and SOL.
  const lost = signers.deposit(7).address
  await live.pay({ depositAddress: lost, fromCurrency: 'EURC' } as never, 12_500_000n)
  await live.pay({ depositAddress: lost, fromCurrency: 'USDC' } as never, 3n * EUR)
  await chain.send([
    getTransferSolInstruction({ source: chain.payer, destination: address(lost), amount: 20_000_000n }),
  ])
  // A swap that waits, and one that has ended with a token of the other kind.
  const waiting = await live.create()
  await live.pay(waiting, 40n * EUR)
  const ended = await live.create()
  await live.merchant.call(`POST /v1/swaps/${ended.id}/cancel`)
  await live.pay(ended, 50_000n)
  await live.pay(ended, 9n * EUR, 'USDC')
  await live.process(ended.id)

  const refused = await run(['--held', '--count', '12', '--sweep', wallet], 'yes')
  expect(refused).toMatchObject({ code: 1, err: 'Not confirmed: nothing was moved\n' })
  expect(await chain.tokens(lost, 'EURC')).toBe(12_500_000n)
  const lines = refused.out.split('\n')
  expect(lines).toContain(`Fee payer\t${signers.feePayer.address}`)
  const line = (text: string) => lines.find((each) => each.includes(text))
  expect(line(lost)).toMatch(/^m\/44'\/501'\/0'\/7'\t\w+\tno swap\t/)
  for (const amount of ['12.5 EURC', '3 USDC', '0.02 SOL']) expect(line(lost)).toContain(amount)
  expect(line(waiting.depositAddress)).toContain(`${waiting.id} awaiting_deposit\t40 EURC`)
  expect(lines.filter((each) => each.startsWith('m/')).length).toBe(3)

  const swept = await run(['--count', '12', '--sweep', wallet], wallet)
  expect(swept).toMatchObject({ code: 0, err: '' })
  expect(swept.out).not.toContain(`EURC from ${waiting.depositAddress}`)
  expect(swept.out.match(/finalized\t/g)?.length).toBe(2)
  expect([await chain.tokens(wallet, 'EURC'), await chain.tokens(wallet, 'USDC')]).toEqual([12_500_000n, 12n * EUR])
  expect(chain.lamportsOf(wallet)).toBe(20_000_000n)
  expect([await chain.tokens(lost, 'EURC'), chain.lamportsOf(lost)]).toEqual([0n, 0n])
  expect(chain.lamportsOf(await tokenAccountOf(lost, MINTS.EURC))).toBe(0n)
  // What belongs to swaps is where it was, and the fee payer's costs are explained.
  expect(await chain.tokens(waiting.depositAddress, 'EURC')).toBe(40n * EUR)
  expect(await chain.tokens(ended.depositAddress, 'EURC')).toBe(50_000n)
  const again = await run(['--count', '12', '--sweep', wallet], wallet)
  expect(again).toMatchObject({ code: 0 })
  expect(again.out).toContain('Nothing to sweep')
  await live.process(waiting.id)
  await live.readFeePayer()
  expect(live.service.logs.join('\n')).not.toContain('unknown transaction')
  await expectJournalEqualsChain(live.service, live.world)
}, 60_000)

test('addresses are found and swept from the seed alone, when every row was lost', async () => {
  const empty = await freshDatabase()
  try {
    const wallet = bs58.encode(randomBytes(32))
    const lost = live.world.signers.deposit(30).address
    await live.pay({ depositAddress: lost, fromCurrency: 'EURC' } as never, 5n * EUR)
    const settings = { DATABASE_URL: empty.serviceUrl, DATABASE_OWNER_URL: empty.ownerUrl }
    const swept = await run(['--from', '30', '--count', '1', '--sweep', wallet], wallet, settings)
    expect(swept).toMatchObject({ code: 0, err: '' })
    expect(await live.world.chain.tokens(wallet, 'EURC')).toBe(5n * EUR)
  } finally {
    await empty.drop()
  }
}, 60_000)

test('wrong options and wallets are refused by name, and no key is printed', async () => {
  const wallet = bs58.encode(randomBytes(32))
  const account = await tokenAccountOf(live.world.chain.payer.address, MINTS.EURC)
  const cases = [
    [['--sweep', account], {}, '--sweep: Must be a wallet, not a token account or mint'],
    [
      ['--sweep', MINTS.USDC],
      {},
      '--sweep: Must be a wallet: this is the mint of USDC, and what is sent there is lost',
    ],
    [['--sweep', wallet], { SOLANA_RPC_URL: '' }, 'SOLANA_RPC_URL: required for --sweep'],
  ] as const
  await Promise.all(
    cases.map(async ([options, settings, message]) => {
      const { code, out, err } = await run([...options, '--count', '1'], wallet, settings)
      expect([code, err.includes(message)], `${err} ${message}`).toEqual([1, true])
      expect(out + err).not.toContain(seed.toString('base64'))
    }),
  )
}, 60_000)
