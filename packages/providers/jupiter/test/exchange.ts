import { randomBytes } from 'node:crypto'
import { type Address, address, generateKeyPairSigner } from '@solana/kit'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import bs58 from 'bs58'
import { type Chain, JUPITER } from './chain.ts'
import { MINTS, tokenAccountOf } from './facts.ts'
import { type Fault, type Listening, listen, type Tls } from './listen.ts'

const EVENT_AUTHORITY = 'D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf'
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111'
const LOOKUP_TABLES = address('AddressLookupTab1e1111111111111111111111111')

export interface WireInstruction {
  programId: string
  accounts: { pubkey: string; isSigner: boolean; isWritable: boolean }[]
  data: string
}
export interface WireBuild {
  [field: string]: unknown
  computeBudgetInstructions: WireInstruction[]
  setupInstructions: WireInstruction[]
  swapInstruction: WireInstruction
  cleanupInstruction: WireInstruction | null
  otherInstructions: WireInstruction[]
  tipInstruction: WireInstruction | null
  addressesByLookupTableAddress: Record<string, string[]>
}

/** Jupiter's server as its documentation describes it, with a pool on the chain as its market. */
export interface Exchange extends Listening {
  /** One EURC in USDC, ten-thousandths: what is quoted. */
  price: bigint
  /** How far the pool gives less than was quoted, basis points. */
  slips: number
  hasRoute: boolean
  /** Changes what `/build` answers: a server that wants something else signed. */
  tamper: (build: WireBuild, query: URLSearchParams) => void
  /** Decides for each request whether and how it fails. */
  spoil: (path: string) => Fault | undefined
  readonly calls: { readonly path: string; readonly query: URLSearchParams }[]
  /** The lookup table that its transactions use. */
  readonly table: Address
}

export const API_KEY = 'jupiter-key'

export async function startExchange(chain: Chain, tls?: Tls): Promise<Exchange> {
  const table = (await generateKeyPairSigner()).address
  const pools = new Map<string, Address>(
    await Promise.all(
      Object.values(MINTS).map(async (mint) => [mint, await tokenAccountOf(chain.pool, mint)] as const),
    ),
  )
  const listed = [EVENT_AUTHORITY, chain.pool, ...pools.values(), ...Object.values(MINTS)]
  chain.put(table, tableData(listed), LOOKUP_TABLES)
  const calls: Exchange['calls'] = []
  const server = await listen(
    tls,
    (request) => {
      const url = new URL(request.url ?? '/', 'http://jupiter.test')
      calls.push({ path: url.pathname, query: url.searchParams })
      return request.headers['x-api-key'] === API_KEY ? exchange.spoil(url.pathname) : { status: 401 }
    },
    async (request) => {
      const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://jupiter.test')
      if (!exchange.hasRoute) return { status: 400, body: { error: 'No routes found' } }
      const amount = BigInt(query.get('amount') ?? 0)
      const input = query.get('inputMint') ?? ''
      const output = query.get('outputMint') ?? ''
      const out = input === MINTS.EURC ? (amount * exchange.price) / 10_000n : (amount * 10_000n) / exchange.price
      const quote = {
        inputMint: input,
        outputMint: output,
        inAmount: amount.toString(),
        outAmount: out.toString(),
        swapMode: 'ExactIn',
        routePlan: [],
      }
      if (pathname === '/swap/v2/order')
        return {
          status: 200,
          body: { ...quote, mode: 'manual', priceImpact: -0.02, router: 'metis', transaction: null },
        }
      if (pathname !== '/swap/v2/build') return { status: 404, body: { error: 'Not found' } }
      const slippage = Number(query.get('slippageBps') ?? 50)
      const build: WireBuild = {
        ...quote,
        otherAmountThreshold: ((out * BigInt(10_000 - slippage)) / 10_000n).toString(),
        slippageBps: slippage,
        computeBudgetInstructions: [unitPrice(20_000n)],
        setupInstructions: [],
        swapInstruction: route(amount, out, slippage),
        cleanupInstruction: null,
        otherInstructions: [],
        tipInstruction: null,
        addressesByLookupTableAddress: { [table]: listed },
        blockhashWithMetadata: { blockhash: [...randomBytes(32)], lastValidBlockHeight: 1 },
      }
      const [taker, destination] = [query.get('taker') ?? '', query.get('destinationTokenAccount') ?? '']
      const source = await tokenAccountOf(taker, address(input))
      build.swapInstruction.accounts = [
        { pubkey: taker, isSigner: true, isWritable: false },
        ...[source, destination].map((pubkey) => ({ pubkey, isSigner: false, isWritable: true })),
        ...[input, output, TOKEN_PROGRAM_ADDRESS, TOKEN_PROGRAM_ADDRESS].map(readonly),
        { pubkey: destination, isSigner: false, isWritable: true },
        ...[EVENT_AUTHORITY, JUPITER, chain.pool].map(readonly),
        ...[pools.get(input), pools.get(output)].map((pubkey) => ({
          pubkey: pubkey ?? '',
          isSigner: false,
          isWritable: true,
        })),
      ]
      exchange.tamper(build, query)
      return { status: 200, body: build }
    },
  )
  const route = (amount: bigint, out: bigint, slippage: number): WireInstruction => {
    const data = Buffer.alloc(42)
    Buffer.from('bb64facc31c4af14', 'hex').copy(data)
    data.writeBigUInt64LE(amount, 8)
    data.writeBigUInt64LE(out, 16)
    data.writeUInt16LE(slippage, 24)
    data.writeUInt32LE(1, 30)
    data.writeBigUInt64LE((out * BigInt(10_000 - exchange.slips)) / 10_000n, 34)
    return { programId: JUPITER, accounts: [], data: data.toString('base64') }
  }
  const exchange: Exchange = {
    ...server,
    price: 10_800n,
    slips: 0,
    hasRoute: true,
    tamper: () => undefined,
    spoil: () => undefined,
    calls,
    table,
  }
  return exchange
}

const readonly = (pubkey: string) => ({ pubkey, isSigner: false, isWritable: false })

/** `SetComputeUnitPrice`. */
export function unitPrice(microLamports: bigint): WireInstruction {
  const data = Buffer.alloc(9)
  data.writeUInt8(3)
  data.writeBigUInt64LE(microLamports, 1)
  return { programId: COMPUTE_BUDGET, accounts: [], data: data.toString('base64') }
}

function tableData(addresses: readonly string[]): Buffer {
  const header = Buffer.alloc(56)
  header.writeUInt32LE(1, 0)
  header.writeBigUInt64LE(2n ** 64n - 1n, 4)
  return Buffer.concat([header, ...addresses.map((each) => Buffer.from(bs58.decode(each)))])
}
