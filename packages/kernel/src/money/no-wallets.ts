import type { NetworkType } from './networks.ts'
import { cngnContracts, tokenContracts, WRAPPED_SOL } from './tokens.ts'

/**
 * Programs of Solana whose addresses are not spelled out like those of the system: the token programs, associated token accounts and both
 * memo programs (the program registry of Solana), and Jupiter's swap program (its documentation).
 */
const PROGRAMS: Readonly<Record<string, string>> = {
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: 'the Token program',
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: 'the Token-2022 program',
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: 'the Associated Token Account program',
  MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr: 'the Memo program',
  Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo: 'the Memo program',
  JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4: 'the Jupiter program',
}

/**
 * A native program or a sysvar of Solana: its address is a name that is filled up with ones (`ComputeBudget111…`, `SysvarRent111…`). The
 * longest such name leaves twenty; a key makes sixteen once in 58^16 addresses.
 */
const SPELLED_OUT = /1{16}$/

/** What is at each address of a type of network, by its canonical spelling. A contract is no wallet on any network of the type. */
const KNOWN: Readonly<Record<NetworkType, ReadonlyMap<string, string>>> = {
  evm: new Map(contracts('evm')),
  svm: new Map([...contracts('svm'), [WRAPPED_SOL, 'the mint of wrapped SOL'] as const, ...Object.entries(PROGRAMS)]),
  tvm: new Map(contracts('tvm')),
}

function contracts(type: NetworkType): (readonly [address: string, what: string])[] {
  const word = type === 'svm' ? 'mint' : 'contract'
  return [...Object.entries(tokenContracts), ...Object.entries(cngnContracts)].flatMap(([key, tokens]) =>
    typeOf(key) === type
      ? Object.entries(tokens).map(([symbol, address]) => [address, `the ${word} of ${symbol}`] as const)
      : [],
  )
}

/** The type of a network of the tables of tokens, which name networks that payments cannot use as well. */
function typeOf(key: string): NetworkType {
  if (key === 'solana') return 'svm'
  return key === 'tron' ? 'tvm' : 'evm'
}

/**
 * What is at an address that is known to be no wallet, for messages: a contract or mint of a token, a program, an account of the system.
 * Undefined for all others. `address` in its canonical spelling.
 */
export function knownAs(type: NetworkType, address: string): string | undefined {
  const known = KNOWN[type].get(address)
  if (known || type !== 'svm') return known
  return SPELLED_OUT.test(address) ? 'a program or an account of Solana itself' : undefined
}
