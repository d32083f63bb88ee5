import type { Institution } from '@payments/fiat'

/** Paycrest's code of a Nigerian bank: the central bank's code, and a word that the bank's name contains. */
const NIGERIAN: Readonly<Record<string, readonly [code: string, word: string]>> = {
  ABNGNGLA: ['044', 'access'],
  CITINGLA: ['023', 'citi'],
  ECOCNGLA: ['050', 'ecobank'],
  FIDTNGLA: ['070', 'fidelity'],
  FBNINGLA: ['011', 'first bank'],
  FCMBNGLA: ['214', 'monument'],
  GTBINGLA: ['058', 'guaranty'],
  JAIZNGLA: ['301', 'jaiz'],
  PLNINGLA: ['082', 'keystone'],
  KUDANGPC: ['50211', 'kuda'],
  MONINGPC: ['50515', 'moniepoint'],
  OPAYNGPC: ['999992', 'opay'],
  PALMNGPC: ['999991', 'palmpay'],
  PRDTNGLA: ['076', 'polaris'],
  PROVNGLA: ['101', 'providus'],
  SBICNGLA: ['221', 'stanbic'],
  SCBLNGLA: ['068', 'chartered'],
  NAMENGLA: ['232', 'sterling'],
  SUTGNGLA: ['100', 'suntrust'],
  UBNINGLA: ['032', 'union'],
  UNAFNGLA: ['033', 'united bank'],
  ICITNGLA: ['215', 'unity'],
  WEMANGLA: ['035', 'wema'],
  ZEIBNGLA: ['057', 'zenith'],
}

/** An institution with the code that Paycrest uses for it. */
export interface KnownInstitution extends Institution {
  readonly paycrestCode: string
}

/**
 * The institutions of a currency under the codes of our API. A Nigerian bank is left out if the table does not have it, or
 * has its code under another name: a wrong code would pay a stranger. Nigerian wallets have account numbers like banks.
 */
export function knownInstitutions(
  currency: string,
  listed: readonly { name: string; code: string; type: string }[],
): KnownInstitution[] {
  return listed.flatMap(({ name, code, type }): KnownInstitution[] => {
    if (type !== 'bank' && type !== 'mobile_money') return []
    if (currency !== 'NGN') return [{ code, name, type, paycrestCode: code }]
    const known = NIGERIAN[code]
    if (!known?.[1] || !name.toLowerCase().includes(known[1])) return []
    return [{ code: known[0], name, type: 'bank', paycrestCode: code }]
  })
}
