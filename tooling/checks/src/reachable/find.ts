import { isIP } from 'node:net'
import { isReservedName, isRoutable } from './addresses.ts'

const IPV4 = /(?<![\w.%])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\w)/g
const IPV6 = /(?<![\w:.])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?:(?<=:)\d{1,3}(?:\.\d{1,3}){3})?(?![\w:])/gi
const URL_HOST = /\b[a-z][a-z0-9+]*:\/\/(?:[^\s/@'"`]*@)?([a-z0-9.-]+)/gi
const EMAIL_HOST = /[\w.+-]+@((?:[a-z0-9-]+\.)+[a-z]{2,})\b/gi
/** A whole text that is a host: of these endings only, because `money.test.ts` and `kernel.md` look like hosts too. */
const BARE_HOST =
  /['"`]((?:[a-z0-9-]+\.)+(?:com|net|org|io|dev|app|co|eu|de|fr|uk|us|ng|link|finance|exchange|cloud|network|xyz))(?::\d+)?['"`]/gi

const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map((match) => match[1] ?? match[0])

/** The addresses and host names in a text that lead to a real host on the internet. */
export function reachableIn(text: string): string[] {
  const addresses = [...matches(text, IPV4), ...matches(text, IPV6)].filter(isRoutable)
  const names = [URL_HOST, EMAIL_HOST, BARE_HOST]
    .flatMap((pattern) => matches(text, pattern))
    .map((name) => name.replace(/\.+$/, ''))
    .filter((name) => isIP(name) === 0 && /[a-z]/i.test(name) && !isReservedName(name))
  return [...new Set([...addresses, ...names])]
}

/** What is in code blocks of Markdown: links in its prose are for readers. */
export const codeBlocks = (markdown: string): string => (markdown.match(/^```[\s\S]*?^```/gm) ?? []).join('\n')
