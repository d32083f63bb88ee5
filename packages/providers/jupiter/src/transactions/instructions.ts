import { type AccountMeta, AccountRole, type Address, address, type Instruction } from '@solana/kit'
import {
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  ComputeBudgetInstruction,
  identifyComputeBudgetInstruction,
  parseSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget'
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import type { Build, WireInstruction } from '../api/wire.ts'
import { InstructionError } from '../chain/errors.ts'
import { tokenAccountOf } from '../chain/tokens.ts'

/** Jupiter's program, and the account that its events are signed by. */
const JUPITER = address('JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4')
const EVENT_AUTHORITY = 'D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf'
const SYSTEM = '11111111111111111111111111111111'
/** The data of an instruction that creates a token account unless it exists. */
const CREATE_IDEMPOTENT = 1
/** Token accounts that a route may need besides ours. Each costs rent until the swap's address is closed. */
const MOST_SETUP = 3
const WHOLE = 10_000n

/**
 * Positions in the two instructions that `/build` returns. Both have the fixed arguments before the route plan. `offset`:
 * where the arguments begin.
 */
const LAYOUTS: Readonly<Record<string, Layout>> = {
  // route_v2
  bb64facc31c4af14: {
    offset: 8,
    authority: 0,
    source: 1,
    output: 2,
    inputMint: 3,
    outputMint: 4,
    tokenPrograms: [5, 6],
    destination: 7,
    eventAuthority: 8,
    program: 9,
  },
  // shared_accounts_route_v2
  d19853937cfed8e9: {
    offset: 9,
    authority: 1,
    source: 2,
    output: 5,
    inputMint: 6,
    outputMint: 7,
    tokenPrograms: [8, 9],
    eventAuthority: 10,
    program: 11,
  },
}
interface Layout {
  readonly offset: number
  readonly authority: number
  readonly source: number
  readonly output: number
  readonly inputMint: number
  readonly outputMint: number
  readonly tokenPrograms: readonly number[]
  /** Where the output is passed on to, if not to `output`; the program's own address: nowhere. */
  readonly destination?: number
  readonly eventAuthority: number
  readonly program: number
}

/** What a swap may do, and nothing else. */
export interface Intent {
  readonly taker: Address
  /** The wallet that the proceeds are for. */
  readonly receiver: Address
  readonly feePayer: Address
  readonly source: Address
  readonly destination: Address
  /** The swap key's own token account of the output, through which a route may pass it on. */
  readonly passage: Address
  readonly inputMint: Address
  readonly outputMint: Address
  readonly amount: bigint
  readonly minimumAmount: bigint
}

/** Instructions that passed every check. */
export interface CheckedRoute {
  readonly setup: readonly Instruction[]
  readonly swap: Instruction
  /** Micro-lamports for a compute unit. */
  readonly unitPrice: bigint
  /** The least that the swap delivers, or it fails: enforced by Jupiter's program. */
  readonly floor: bigint
}

const refuse = (message: string): never => {
  throw new InstructionError(message)
}

/**
 * Checks what Jupiter wants signed, instruction by instruction. The amounts and accounts are read from the instruction
 * itself: the answer's other fields are only claims about it.
 * @throws InstructionError naming what is wrong
 */
export async function checkRoute(build: Build, intent: Intent): Promise<CheckedRoute> {
  if (build.otherInstructions?.length) refuse('Instructions besides the swap')
  if (build.cleanupInstruction) refuse('A clean-up that nothing needs')
  if (build.tipInstruction) refuse('A tip that nobody asked for')
  if (build.setupInstructions.length > MOST_SETUP) refuse('Too many accounts to create')
  const [price, ...more] = build.computeBudgetInstructions
  if (more.length > 0) refuse('More than the price of a compute unit')
  return {
    setup: await Promise.all(build.setupInstructions.map((each) => checkSetup(each, intent))),
    ...checkSwap(build.swapInstruction, intent),
    unitPrice: price ? unitPriceOf(price) : 0n,
  }
}

function unitPriceOf(wire: WireInstruction): bigint {
  const instruction = toInstruction(wire)
  if (instruction.programAddress !== COMPUTE_BUDGET_PROGRAM_ADDRESS || instruction.accounts.length > 0)
    refuse('A foreign instruction in the compute budget')
  let kind: ComputeBudgetInstruction | undefined
  try {
    kind = identifyComputeBudgetInstruction(instruction)
  } catch {
    kind = undefined
  }
  if (kind !== ComputeBudgetInstruction.SetComputeUnitPrice || instruction.data.length !== 9)
    return refuse('A compute budget other than the price of a unit')
  return parseSetComputeUnitPriceInstruction(instruction).data.microLamports
}

/** A token account of the swap's own key, created at the fee payer's cost. */
async function checkSetup(wire: WireInstruction, { taker, feePayer }: Intent): Promise<Instruction> {
  const [payer, account, owner, mint, system, program, ...more] = wire.accounts.map(({ pubkey }) => pubkey)
  const data = Buffer.from(wire.data, 'base64')
  if (
    wire.programId !== ASSOCIATED_TOKEN_PROGRAM_ADDRESS ||
    data.length !== 1 ||
    data[0] !== CREATE_IDEMPOTENT ||
    more.length > 0 ||
    payer !== feePayer ||
    owner !== taker ||
    mint === undefined ||
    system !== SYSTEM ||
    program !== TOKEN_PROGRAM_ADDRESS ||
    account !== (await tokenAccountOf(taker, address(mint)))
  )
    refuse('A foreign instruction before the swap')
  return withSigners(wire, [feePayer])
}

function checkSwap(wire: WireInstruction, intent: Intent): Pick<CheckedRoute, 'swap' | 'floor'> {
  if (wire.programId !== JUPITER) refuse('The swap is not an instruction of Jupiter')
  const data = Buffer.from(wire.data, 'base64')
  const layout = LAYOUTS[data.subarray(0, 8).toString('hex')] ?? refuse('An unknown kind of swap')
  const at = (position: number) => wire.accounts[position]?.pubkey
  const expected: readonly (readonly [number, string, string])[] = [
    [layout.authority, intent.taker, 'authority'],
    [layout.source, intent.source, 'source'],
    [layout.inputMint, intent.inputMint, 'mint of the input'],
    [layout.outputMint, intent.outputMint, 'mint of the output'],
    ...layout.tokenPrograms.map((position) => [position, TOKEN_PROGRAM_ADDRESS, 'token program'] as const),
    [layout.eventAuthority, EVENT_AUTHORITY, 'event authority'],
    [layout.program, JUPITER, 'program'],
  ]
  for (const [position, wanted, what] of expected) if (at(position) !== wanted) refuse(`Another ${what}`)
  // The output goes to the destination, directly or through our own account.
  const final = layout.destination === undefined ? JUPITER : at(layout.destination)
  const direct = at(layout.output) === intent.destination && (final === JUPITER || final === intent.destination)
  const passed = at(layout.output) === intent.passage && final === intent.destination
  if (!direct && !passed) refuse('Another destination')
  const { offset } = layout
  if (data.length < offset + 22) refuse('Arguments are missing')
  if (data.readBigUInt64LE(offset) !== intent.amount) refuse('Another amount')
  const quoted = data.readBigUInt64LE(offset + 8)
  const slippage = BigInt(data.readUInt16LE(offset + 16))
  if (data.readUInt16LE(offset + 18) !== 0 || data.readUInt16LE(offset + 20) !== 0) refuse('A fee for another party')
  const floor = slippage > WHOLE ? 0n : (quoted * (WHOLE - slippage)) / WHOLE
  if (floor < intent.minimumAmount) refuse('A floor below the minimum')
  // Our accounts appear where they were checked, and nowhere in the route; the fee payer nowhere at all.
  const head = Math.max(layout.program, layout.eventAuthority) + 1
  const own: readonly string[] = [intent.taker, intent.feePayer, intent.source]
  if (wire.accounts.slice(head).some(({ pubkey }) => own.includes(pubkey))) refuse('Our own account in the route')
  if (wire.accounts.slice(0, head).some(({ pubkey }) => pubkey === intent.feePayer)) refuse('The fee payer in the swap')
  return { swap: withSigners(wire, [intent.taker]), floor }
}

/** The instruction, in which nobody but the given addresses signs. */
function withSigners(wire: WireInstruction, signers: readonly Address[]): Instruction {
  if (wire.accounts.some(({ pubkey, isSigner }) => isSigner && !signers.includes(pubkey as Address)))
    refuse('A foreign signer')
  return toInstruction(wire)
}

function toInstruction({ programId, accounts, data }: WireInstruction) {
  return {
    programAddress: address(programId),
    accounts: accounts.map(({ pubkey, isSigner, isWritable }): AccountMeta => {
      const [readonly, writable] = isSigner
        ? [AccountRole.READONLY_SIGNER, AccountRole.WRITABLE_SIGNER]
        : [AccountRole.READONLY, AccountRole.WRITABLE]
      return { address: address(pubkey), role: isWritable ? writable : readonly }
    }),
    data: new Uint8Array(Buffer.from(data, 'base64')),
  }
}
