import { randomBytes } from 'node:crypto'
import { address, type Instruction, isSignerRole, isWritableRole } from '@solana/kit'
import { getApproveInstruction, getTransferInstruction } from '@solana-program/token'
import bs58 from 'bs58'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { unitPrice, type WireBuild, type WireInstruction } from '../../test/exchange.ts'
import { MINTS, tokenAccountOf } from '../../test/facts.ts'
import { MOST_LAMPORTS, startWorld, type World } from '../../test/world.ts'
import { InstructionError } from '../chain/errors.ts'

const AMOUNT = 100_000_000n
const RECEIVER = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T'
const ATTACKER = bs58.encode(randomBytes(32))

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())
beforeEach(() => {
  world.exchange.tamper = () => undefined
  world.signed.length = 0
})

/** A paid swap, ready to be prepared. */
async function paidSwap() {
  const own = await world.newAddress()
  await world.pay(own.depositAddress, AMOUNT)
  const request = { from: 'EURC', to: 'USDC', amount: AMOUNT, ...own, destinationAddress: RECEIVER } as const
  return { ...request, minimumAmount: 107_460_000n, slippageBasisPoints: 50 }
}

const wire = ({ programAddress, accounts = [], data = new Uint8Array() }: Instruction): WireInstruction => ({
  programId: programAddress,
  accounts: accounts.map(({ address: pubkey, role }) => ({
    pubkey,
    isSigner: isSignerRole(role),
    isWritable: isWritableRole(role),
  })),
  data: Buffer.from(data).toString('base64'),
})

/** Rewrites the arguments of the swap itself. */
const rewrite = (change: (data: Buffer) => void) => (build: WireBuild) => {
  const data = Buffer.from(build.swapInstruction.data, 'base64')
  change(data)
  build.swapInstruction.data = data.toString('base64')
}
const replace = (position: number, pubkey: string) => (build: WireBuild) => {
  build.swapInstruction.accounts = build.swapInstruction.accounts.map((account, index) =>
    index === position ? { ...account, pubkey } : account,
  )
}
const ofTaker = (query: URLSearchParams) => address(query.get('taker') ?? '')

type Tampering = (
  build: WireBuild,
  query: URLSearchParams,
  known: { source: string; attackers: string; attackersInput: string },
) => void

const ATTACKS: Readonly<Record<string, readonly [reason: string, tamper: Tampering]>> = {
  'an instruction that moves SOL of the fee payer': [
    'Instructions besides the swap',
    (build, query) => {
      const transfer = Buffer.alloc(12)
      transfer.writeUInt32LE(2, 0)
      transfer.writeBigUInt64LE(5_000_000_000n, 4)
      build.otherInstructions = [
        {
          programId: '11111111111111111111111111111111',
          accounts: [
            { pubkey: query.get('payer') ?? '', isSigner: true, isWritable: true },
            { pubkey: ATTACKER, isSigner: false, isWritable: true },
          ],
          data: transfer.toString('base64'),
        },
      ]
    },
  ],
  'a transfer of the deposit before the swap': [
    'A foreign instruction before the swap',
    (build, query, { source, attackersInput }) => {
      const [from, to] = [address(source), address(attackersInput)]
      const steal = getTransferInstruction({ source: from, destination: to, authority: ofTaker(query), amount: 1n })
      build.setupInstructions = [wire(steal)]
    },
  ],
  'an approval of another party after the swap': [
    'A clean-up that nothing needs',
    (build, query, { source }) => {
      const delegate = address(ATTACKER)
      build.cleanupInstruction = wire(
        getApproveInstruction({ source: address(source), delegate, owner: ofTaker(query), amount: 2n ** 60n }),
      )
    },
  ],
  'a tip': [
    'A tip that nobody asked for',
    (build) => {
      build.tipInstruction = unitPrice(1n)
    },
  ],
  'an account that is created for another owner': [
    'A foreign instruction before the swap',
    (build, query) => {
      const accounts = [query.get('payer'), ATTACKER, ATTACKER, MINTS.USDC, '11111111111111111111111111111111']
      build.setupInstructions = [
        {
          programId: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
          accounts: [...accounts, 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'].map((pubkey, index) => ({
            pubkey: pubkey ?? '',
            isSigner: index === 0,
            isWritable: index < 2,
          })),
          data: Buffer.from([1]).toString('base64'),
        },
      ]
    },
  ],
  'a swap by another program': [
    'The swap is not an instruction of Jupiter',
    (build) => {
      build.swapInstruction.programId = ATTACKER
    },
  ],
  'another kind of instruction of Jupiter': ['An unknown kind of swap', rewrite((data) => void data.fill(7, 0, 8))],
  'another destination': [
    'Another destination',
    (build, _query, { attackers }) => {
      replace(2, attackers)(build)
      replace(7, attackers)(build)
    },
  ],
  'a destination that the output is passed on to': [
    'Another destination',
    (build, _query, { attackers }) => replace(7, attackers)(build),
  ],
  'another source': ['Another source', (build, _query, { attackersInput }) => replace(1, attackersInput)(build)],
  'another mint': ['Another mint of the output', (build) => replace(4, MINTS.EURC)(build)],
  'the fee payer as authority': ['Another authority', (build, query) => replace(0, query.get('payer') ?? '')(build)],
  'more than the amount': ['Another amount', rewrite((data) => void data.writeBigUInt64LE(AMOUNT + 1n, 8))],
  'a lower quote than it claims': [
    'A floor below the minimum',
    rewrite((data) => void data.writeBigUInt64LE(50_000_000n, 16)),
  ],
  'more slippage than it claims': ['A floor below the minimum', rewrite((data) => void data.writeUInt16LE(9000, 24))],
  'slippage beyond everything': ['A floor below the minimum', rewrite((data) => void data.writeUInt16LE(65_535, 24))],
  'a platform fee': ['A fee for another party', rewrite((data) => void data.writeUInt16LE(100, 26))],
  'a share of what is better than the quote': [
    'A fee for another party',
    rewrite((data) => void data.writeUInt16LE(1, 28)),
  ],
  'arguments that are cut off': [
    'Arguments are missing',
    (build) => {
      build.swapInstruction.data = Buffer.from(build.swapInstruction.data, 'base64').subarray(0, 20).toString('base64')
    },
  ],
  'a foreign signer': [
    'A foreign signer',
    (build) => {
      build.swapInstruction.accounts.push({ pubkey: ATTACKER, isSigner: true, isWritable: false })
    },
  ],
  'the deposit as an account of the route': [
    'Our own account in the route',
    (build, _query, { source }) => {
      build.swapInstruction.accounts.push({ pubkey: source, isSigner: false, isWritable: true })
    },
  ],
  'a second instruction in the compute budget': [
    'More than the price of a compute unit',
    (build) => {
      build.computeBudgetInstructions.push(unitPrice(1n))
    },
  ],
  'a compute budget of another program': [
    'A foreign instruction in the compute budget',
    (build) => {
      build.computeBudgetInstructions = [{ ...unitPrice(1n), programId: ATTACKER }]
    },
  ],
}

test.each(Object.entries(ATTACKS))('%s is refused before anything is signed', async (_name, [reason, tamper]) => {
  const request = await paidSwap()
  const source = await tokenAccountOf(request.depositAddress, MINTS.EURC)
  const [attackers, attackersInput] = [
    await tokenAccountOf(ATTACKER, MINTS.USDC),
    await tokenAccountOf(ATTACKER, MINTS.EURC),
  ]
  world.exchange.tamper = (build, query) => tamper(build, query, { source, attackers, attackersInput })
  const refused = await world.provider.prepareSwap(request).catch((error: Error) => error)
  expect(refused).toMatchObject({ code: 'swap_provider_failed', cause: expect.any(InstructionError) })
  expect((refused as Error).cause).toMatchObject({ message: reason })
  expect(world.signed).toEqual([])
  expect(await world.chain.tokens(request.depositAddress, 'EURC')).toBe(AMOUNT)
})

test('a price of compute units above the limit is lowered to it: a busy network delays a swap, and does not refuse it', async () => {
  const request = await paidSwap()
  world.exchange.tamper = (build) => {
    build.computeBudgetInstructions = [unitPrice(MOST_LAMPORTS * 1000n)]
  }
  const { feePayer } = world.signers
  const before = world.chain.lamportsOf(feePayer.address)
  const prepared = await world.provider.prepareSwap(request)
  if ('refused' in prepared) throw new Error(prepared.refused)
  await world.provider.send(prepared)
  world.chain.advance(40)
  expect(await world.provider.outcome(prepared)).toMatchObject({ status: 'finalized' })
  const paid = before - world.chain.lamportsOf(feePayer.address)
  expect(paid).toBe(prepared.costLamports)
  expect(paid - (prepared.createsAccount ? 2_039_280n : 0n)).toBeLessThanOrEqual(MOST_LAMPORTS)
})

test('a route whose transaction is too large is asked for again with fewer accounts, and refused when none fits', async () => {
  const request = await paidSwap()
  const foreign = Array.from({ length: 40 }, () => bs58.encode(randomBytes(32)))
  const asked: number[] = []
  let fits = 28
  world.exchange.tamper = (build, query) => {
    const most = Number(query.get('maxAccounts'))
    asked.push(most)
    if (most <= fits) return
    build.swapInstruction.accounts.push(...foreign.map((pubkey) => ({ pubkey, isSigner: false, isWritable: false })))
  }
  expect(await world.provider.prepareSwap(request)).toMatchObject({ signature: expect.any(String) })
  expect(asked).toEqual([64, 40, 28])
  fits = 0
  expect(await world.provider.prepareSwap(request)).toEqual({ refused: 'no_route' })
})

test('what Jupiter says of a lookup table counts for nothing: the contents are read from the chain', async () => {
  const request = await paidSwap()
  const attackers = await tokenAccountOf(ATTACKER, MINTS.USDC)
  const destination = await tokenAccountOf(RECEIVER, MINTS.USDC)
  // At the position where it says the destination is, the table has another account.
  world.exchange.tamper = (build) => {
    build.addressesByLookupTableAddress = { [world.exchange.table]: [destination, attackers] }
  }
  const before = await world.chain.tokens(RECEIVER, 'USDC')
  const prepared = await world.provider.prepareSwap(request)
  if ('refused' in prepared) throw new Error(prepared.refused)
  await world.provider.send(prepared)
  world.chain.advance()
  expect(await world.provider.outcome(prepared)).toMatchObject({ status: 'finalized', receivedAmount: 108_000_000n })
  expect((await world.chain.tokens(RECEIVER, 'USDC')) - before).toBe(108_000_000n)
  expect(await world.chain.tokens(ATTACKER, 'USDC')).toBe(0n)
})

test('a lookup table that is none is refused', async () => {
  const request = await paidSwap()
  world.exchange.tamper = (build) => {
    build.addressesByLookupTableAddress = { [ATTACKER]: [MINTS.USDC] }
  }
  await expect(world.provider.prepareSwap(request)).rejects.toMatchObject({ code: 'swap_provider_failed' })
  expect(world.signed).toEqual([])
})

test('an honest swap is signed once by its own key and once by the fee payer, who alone pays', async () => {
  const request = await paidSwap()
  const prepared = await world.provider.prepareSwap(request)
  if ('refused' in prepared) throw new Error(prepared.refused)
  expect(world.signed.toSorted()).toEqual([request.depositAddress, world.signers.feePayer.address].sort())
  await world.provider.send(prepared)
  const executed = world.chain.executed.get(prepared.signature)
  const spent = executed?.keys.flatMap((key, index) => {
    const [before = 0n, after = 0n] = executed.lamports[index] ?? []
    return after < before ? [key] : []
  })
  expect(spent).toEqual([world.signers.feePayer.address])
})

test('the accounts that a route creates for its own use are paid by the fee payer and accepted', async () => {
  const request = await paidSwap()
  const account = await tokenAccountOf(request.depositAddress, MINTS.USDC)
  world.exchange.tamper = (build, query) => {
    const system = '11111111111111111111111111111111'
    const token = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
    build.setupInstructions = [
      {
        programId: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
        accounts: [query.get('payer') ?? '', account, request.depositAddress, MINTS.USDC, system, token].map(
          (pubkey, index) => ({ pubkey, isSigner: index === 0, isWritable: index < 2 }),
        ),
        data: Buffer.from([1]).toString('base64'),
      },
    ]
  }
  const prepared = await world.provider.prepareSwap(request)
  if ('refused' in prepared) throw new Error(prepared.refused)
  await world.provider.send(prepared)
  world.chain.advance()
  expect(await world.provider.outcome(prepared)).toMatchObject({ status: 'finalized' })
  // Both of its token accounts are empty now, and are closed together.
  const close = await world.provider.prepareClose?.(request)
  if (!close) throw new Error('Nothing to close')
  const before = world.chain.lamportsOf(world.signers.feePayer.address)
  await world.provider.send(close)
  expect(world.chain.lamportsOf(world.signers.feePayer.address)).toBeGreaterThan(before + 4_000_000n)
  expect(await world.provider.outcome(close)).toEqual({ status: 'pending' })
})
