import type { Locale } from './data.ts'

/** How a language writes numbers. Spaces group everywhere. */
const STYLES: Readonly<Record<Locale, { readonly group: string; readonly decimal: string }>> = {
  en: { group: ',', decimal: '.' },
  fr: { group: '.', decimal: ',' },
  pt: { group: '.', decimal: ',' },
  es: { group: '.', decimal: ',' },
  ar: { group: ',', decimal: '.' },
  sw: { group: ',', decimal: '.' },
  ha: { group: ',', decimal: '.' },
  yo: { group: ',', decimal: '.' },
  ig: { group: ',', decimal: '.' },
  de: { group: '.', decimal: ',' },
  zh: { group: ',', decimal: '.' },
}

/** An amount as the service takes it. `unclear`: it may mean either of two amounts, so it is not guessed. */
export type WrittenAmount =
  | { readonly amount: string }
  | { readonly error: 'format' }
  | { readonly error: 'unclear'; readonly whole: string; readonly decimal: string }

const FORMAT = { error: 'format' } as const

/** Eastern Arabic digits and separators in the signs that everything else is written in. */
const western = (text: string): string =>
  text
    .replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x0660))
    .replace(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x06f0))
    .replaceAll('٫', '.')
    .replaceAll('٬', ',')

/**
 * Reads an amount as people write it: "1,500", "1 500", "1.500,00". Two kinds of separators explain each other, and so does one that
 * cannot group thousands; one that could is read as the language groups, and where the language writes decimals with it, it is unclear.
 */
export function readAmount(written: string, locale: Locale): WrittenAmount {
  const text = western(written.trim())
  const spaced = /[\s'’]/.test(text)
  // Spaces and apostrophes stand between groups of three digits, before any decimals.
  if (spaced && !/^\d{1,3}([\s'’]\d{3})+([.,]\d*)?$/.test(text)) return FORMAT
  const bare = text.replace(/[\s'’]/g, '')
  if (!/^(?=.*\d)[\d.,]+$/.test(bare)) return FORMAT
  const separators = [...bare.matchAll(/[.,]/g)].map(([separator]) => separator)
  const last = separators.at(-1)
  if (last === undefined) return canonical(bare, '')
  if (separators.length > 1) return readMany(bare, separators, last, spaced)
  const [whole = '', decimals = ''] = bare.split(last)
  const mayGroup = !spaced && decimals.length === 3 && /^[1-9]\d{0,2}$/.test(whole)
  if (!mayGroup) return canonical(whole, decimals)
  // The decimal sign of Arabic script groups nothing.
  if (written.includes('٫')) return canonical(whole, decimals)
  if (last === STYLES[locale].group) return canonical(whole + decimals, '')
  return { error: 'unclear', whole: whole + decimals, decimal: clear(whole, decimals) }
}

/** Several separators: of one kind they all group; of two kinds the last one, which stands once, is the decimal sign. */
function readMany(bare: string, separators: readonly string[], last: string, spaced: boolean): WrittenAmount {
  if (spaced) return FORMAT
  const group = separators[0] as string
  const isDecimal = last !== group
  const at = isDecimal ? bare.lastIndexOf(last) : bare.length
  const whole = bare.slice(0, at)
  const groups = whole.split(group)
  const well = groups.every((digits, index) => (index === 0 ? /^\d{1,3}$/ : /^\d{3}$/).test(digits))
  return well ? canonical(groups.join(''), bare.slice(at + 1)) : FORMAT
}

function canonical(whole: string, decimals: string): WrittenAmount {
  const [integer, rest] = [whole.replace(/^0+(?=\d)/, '') || '0', decimals.replace(/0+$/, '')]
  return { amount: rest ? `${integer}.${rest}` : integer }
}

/** The same amount with decimals that cannot be a group of thousands. */
function clear(whole: string, decimals: string): string {
  const trimmed = decimals.replace(/0+$/, '')
  return trimmed.length === 3 ? `${whole}.${trimmed}0` : trimmed ? `${whole}.${trimmed}` : whole
}
