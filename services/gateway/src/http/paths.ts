import { appRouter } from '@payments/api'
import { isId } from '@payments/kernel'
import { operations } from '../operations/operations.ts'

/**
 * One spelling for a path (RFC 3986, section 6.2.2): percent-encoded letters, digits and `-._~` decoded, other encodings in
 * upper case, UUIDs in lower case. Limits, routes and idempotency keys use it, so no spelling is a request of its own.
 */
export function canonicalPath(path: string): string {
  // Most paths are: neither an encoding nor an upper case digit of an id.
  if (!/[%A-F]/.test(path)) return path
  return path
    .replace(/%[0-9a-f]{2}/gi, (encoded) => {
      const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
      return /[A-Za-z0-9\-._~]/.test(character) ? character : encoded.toUpperCase()
    })
    .split('/')
    .map((segment) => (isId(segment) ? segment.toLowerCase() : segment))
    .join('/')
}

const WORDS = new Set([
  ...['', 'v1', 'health', 'docs', 'trpc', 'mcp', 'callbacks', 'openapi.json', '.well-known', 'jwks.json'],
  ...['dashboard', 'console', 'api', 'session', 'organisation', 'end', 'events', 'dev', 'mail'],
  ...['transaction', 'icon.svg'],
  ...['start.js', 'swagger-ui.css', 'swagger-ui-bundle.js'],
  ...operations.flatMap(({ path }) => path.split('/').filter((segment) => !segment.startsWith('{'))),
  ...Object.keys(appRouter._def.procedures),
])

/** True for what people open in a browser, and false for the API. */
export const isPage = (path: string): boolean => !/^\/(v1|trpc|mcp|health|dashboard\/api)(\/|$)/.test(path)

/** Matches the paths of an operation or a page, `/pay/{collectionId}`, with a group for each placeholder. */
export const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)

/** A path as it is logged: known words and ids only, because a client may put a secret into a path, in any piece of it. */
export const loggable = (path: string): string =>
  path
    .split('/')
    .map((segment) => (isId(segment) || segment.split(',').every((word) => WORDS.has(word)) ? segment : '[other]'))
    .join('/')

/** The last id in a path: the innermost object that it names. */
export const idIn = (params: Readonly<Record<string, string>>): string | undefined =>
  Object.values(params).findLast(isId)
