import { Assembler, type Register } from './sbpf.ts'

/** Seed of the address that owns the pool's tokens. */
export const POOL_SEED = 'pool'
/** Jupiter's own error: the output is below the floor. */
const SLIPPAGE_EXCEEDED = 6001

/** Accounts of `route_v2`, of which the last three are the pool's: its owner, where the input goes, where the output comes from. */
const [TAKER, SOURCE, DESTINATION, TOKEN_PROGRAM, OWNER, POOL_IN, POOL_OUT] = [0, 1, 2, 5, 10, 11, 12]
/** Offsets in the instruction's data. The route plan has one step: what the pool gives now. */
const [IN_AMOUNT, QUOTED, SLIPPAGE, OUT_AMOUNT] = [8, 16, 24, 34]

const FP = 10
/** Offsets from the end of the stack frame. */
const POINTERS = -256
const INFOS = -1024
const METAS = -1152
const DATA = -1168
const INSTRUCTION = -1216
const SEEDS = -1264
const SEED_TEXT = -1280
const INFO_BYTES = 56

/**
 * A pool as the program at Jupiter's address: it takes the arguments and the accounts of `route_v2` as Jupiter's program
 * does, moves the input into the pool and the output to the destination by calls of the token program, and fails with
 * Jupiter's error if the output is below the floor that the arguments name.
 */
export function poolProgram(bump: number): Uint8Array {
  const code = new Assembler()
  // r6: cursor over the accounts, r7: index, r8: their number. Afterwards r9: the instruction's data.
  code.copy(6, 1).load64(8, 6, 0).addImm(6, 8).set(7, 0)
  code.label('account').jumpIfEqual(7, 8, 'parsed')
  code.copy(4, 7).shiftLeft(4, 3).add(4, FP)
  code.load8(2, 6, 0).jumpUnlessImm(2, 0xff, 'duplicate')
  code
    .store64(4, POINTERS, 6)
    .load64(3, 6, 80)
    .addImm(6, 88 + 10_240 + 7)
    .add(6, 3)
    .andImm(6, -8)
    .addImm(6, 8)
  code.jump('next')
  code.label('duplicate').shiftLeft(2, 3).add(2, FP).load64(2, 2, POINTERS).store64(4, POINTERS, 2).addImm(6, 8)
  code.label('next').addImm(7, 1).jump('account')
  code.label('parsed').copy(9, 6).addImm(9, 8)

  // The floor: quoted × (10,000 − slippage) ÷ 10,000.
  code.load64(2, 9, QUOTED).load16(3, 9, SLIPPAGE).set(4, 10_000).sub(4, 3).mul(2, 4).divImm(2, 10_000)
  code.load64(5, 9, OUT_AMOUNT).jumpIfAtLeast(5, 2, 'enough').set(0, SLIPPAGE_EXCEEDED).exit().label('enough')

  const pointer = (to: Register, account: number) => code.load64(to, FP, POINTERS + account * 8)
  const used = [TAKER, SOURCE, DESTINATION, TOKEN_PROGRAM, OWNER, POOL_IN, POOL_OUT]
  for (const [index, account] of used.entries()) {
    const at = INFOS + index * INFO_BYTES
    pointer(1, account)
    for (const [field, offset] of [
      [0, 8],
      [8, 72],
      [24, 88],
      [32, 40],
    ] as const)
      code
        .copy(2, 1)
        .addImm(2, offset)
        .store64(FP, at + field, 2)
    code
      .load64(2, 1, 80)
      .store64(FP, at + 16, 2)
      .set(2, 0)
      .store64(FP, at + 40, 2)
    for (const flag of [1, 2, 3]) code.load8(2, 1, flag).store8(FP, at + 47 + flag, 2)
  }

  const transfer = (from: number, to: number, authority: number, amountAt: number, signed: boolean) => {
    code
      .set(2, 3)
      .store8(FP, DATA, 2)
      .load64(2, 9, amountAt)
      .store64(FP, DATA + 1, 2)
    for (const [index, [account, writable, signer]] of [
      [from, 1, 0],
      [to, 1, 0],
      [authority, 0, 1],
    ].entries() as Iterable<[number, [number, number, number]]>) {
      const at = METAS + index * 16
      pointer(2, account)
      code
        .addImm(2, 8)
        .store64(FP, at, 2)
        .set(2, 0)
        .store64(FP, at + 8, 2)
      code
        .set(2, writable)
        .store8(FP, at + 8, 2)
        .set(2, signer)
        .store8(FP, at + 9, 2)
    }
    pointer(2, TOKEN_PROGRAM)
    code.addImm(2, 8).store64(FP, INSTRUCTION, 2)
    code
      .copy(2, FP)
      .addImm(2, METAS)
      .store64(FP, INSTRUCTION + 8, 2)
      .set(2, 3)
      .store64(FP, INSTRUCTION + 16, 2)
    code
      .copy(2, FP)
      .addImm(2, DATA)
      .store64(FP, INSTRUCTION + 24, 2)
      .set(2, 9)
      .store64(FP, INSTRUCTION + 32, 2)
    code.copy(1, FP).addImm(1, INSTRUCTION).copy(2, FP).addImm(2, INFOS).set(3, used.length)
    code
      .copy(4, FP)
      .addImm(4, SEEDS)
      .set(5, signed ? 1 : 0)
    code.call('sol_invoke_signed_c')
  }
  for (const [index, letter] of [...Buffer.from(POOL_SEED), bump].entries())
    code.set(2, letter).store8(FP, SEED_TEXT + index, 2)
  // One signer, of two seeds.
  code
    .copy(2, FP)
    .addImm(2, SEEDS + 16)
    .store64(FP, SEEDS, 2)
    .set(2, 2)
    .store64(FP, SEEDS + 8, 2)
  code
    .copy(2, FP)
    .addImm(2, SEED_TEXT)
    .store64(FP, SEEDS + 16, 2)
    .set(2, POOL_SEED.length)
    .store64(FP, SEEDS + 24, 2)
  code
    .copy(2, FP)
    .addImm(2, SEED_TEXT + POOL_SEED.length)
    .store64(FP, SEEDS + 32, 2)
    .set(2, 1)
    .store64(FP, SEEDS + 40, 2)
  transfer(SOURCE as number, POOL_IN as number, TAKER as number, IN_AMOUNT as number, false)
  transfer(POOL_OUT as number, DESTINATION as number, OWNER as number, OUT_AMOUNT as number, true)
  code.set(0, 0).exit()
  return code.elf()
}
