import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { NavigationItem } from './layout.ts'

/** Stands for the address of the service in what is stored; it is replaced when a file is first read. */
export const ADDRESS = 'http://address-of-this-service.invalid'

/** What is stored as `index.json`. Each file has its number as its name, and is compressed with Brotli. */
export interface StoredIndex {
  readonly guides: readonly NavigationItem[]
  readonly files: readonly { readonly path: string; readonly type: string }[]
}

/** What the search finds, as it is stored. */
export interface SearchEntry {
  readonly path: string
  readonly title: string
  readonly text: string
  /** It is found by these words, too. */
  readonly more?: string
}

/** A page or document that was written when the service was built. */
export interface StoredPage {
  readonly path: string
  readonly type: string
  /** What is served, with the address of this service. */
  content(): Promise<string>
}

/** Where the build of the service stores the documentation: see `services/bundle/src/docs.ts`. */
const STORED = new URL('../../dist/', import.meta.url)
const decompress = promisify(brotliDecompress)

let index: StoredIndex | undefined

/** @throws Error where the documentation is not built */
function storedIndex(): StoredIndex {
  index ??= JSON.parse(readFileSync(new URL('index.json', STORED), 'utf8')) as StoredIndex
  return index
}

/** Every page and document. `baseUrl` is without `/v1`, and called when one is read. */
export const storedPages = (baseUrl: () => string): readonly StoredPage[] =>
  storedIndex().files.map(({ path, type }, at) => ({
    path,
    type,
    async content() {
      const text = (await decompress(await readFile(new URL(`${at}.br`, STORED)))).toString()
      return text.replaceAll(ADDRESS, () => baseUrl())
    },
  }))

/** What the search finds. */
export const storedEntries = (): readonly SearchEntry[] =>
  JSON.parse(readFileSync(new URL('search.json', STORED), 'utf8')) as SearchEntry[]

/** The list of guides beside a page. */
export const navigation = () => ({ label: 'Guides', items: storedIndex().guides })
