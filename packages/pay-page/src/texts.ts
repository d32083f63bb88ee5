import { type Locale, locales, type Texts } from './data.ts'
import ar from './texts/ar.json' with { type: 'json' }
import de from './texts/de.json' with { type: 'json' }
import en from './texts/en.json' with { type: 'json' }
import es from './texts/es.json' with { type: 'json' }
import fr from './texts/fr.json' with { type: 'json' }
import ha from './texts/ha.json' with { type: 'json' }
import ig from './texts/ig.json' with { type: 'json' }
import pt from './texts/pt.json' with { type: 'json' }
import sw from './texts/sw.json' with { type: 'json' }
import yo from './texts/yo.json' with { type: 'json' }
import zh from './texts/zh.json' with { type: 'json' }

/** All texts of the page, by language. A language is one file. */
export const texts: Readonly<Record<Locale, Texts>> = { en, fr, pt, es, ar, sw, ha, yo, ig, de, zh }

/** Each language by its own name. */
export const languages = Object.fromEntries(locales.map((locale) => [locale, texts[locale].language])) as Readonly<
  Record<Locale, string>
>

const isLocale = (tag: string): tag is Locale => (locales as readonly string[]).includes(tag)

/**
 * The language of a page: the one asked for, else the one that the browser prefers most (RFC 9110, Accept-Language; of
 * `pt-BR` the page has `pt`), else English.
 */
export function localeOf(asked: string | undefined, acceptLanguage: string | undefined): Locale {
  if (asked && isLocale(asked)) return asked
  const preferred = (acceptLanguage ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
      const weight = parameters.map((each) => each.trim()).find((each) => each.startsWith('q='))
      return { tag: tag.split('-')[0] ?? '', weight: weight ? Number(weight.slice(2)) : 1 }
    })
    .filter(({ tag, weight }) => isLocale(tag) && weight > 0)
    .sort((a, b) => b.weight - a.weight)
  return (preferred[0]?.tag as Locale | undefined) ?? 'en'
}
