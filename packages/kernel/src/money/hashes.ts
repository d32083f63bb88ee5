import { networkOf } from './networks.ts'

const HEXADECIMAL = /^(?:0[xX])?([0-9a-fA-F]{64})$/

const digitsOf = (text: string): string | undefined => HEXADECIMAL.exec(text)?.[1]?.toLowerCase()

/** What two spellings of one transaction have in common: hexadecimal digits are the same in capitals, with `0x` and without. */
export const hashKey = (text: string): string => digitsOf(text) ?? text

/** A transaction as its network spells it. What is no hexadecimal hash stays as it is. */
export function spelledHash(networkKey: string, text: string): string {
  const digits = digitsOf(text)
  if (digits === undefined) return text
  return networkOf(networkKey)?.type === 'tvm' ? digits : `0x${digits}`
}

/** The spellings in which a transaction may be stored: rows of releases before have the one that came. */
export function spellingsOf(text: string): readonly string[] {
  const digits = digitsOf(text)
  return digits === undefined ? [text] : [...new Set([text, digits, `0x${digits}`])]
}
