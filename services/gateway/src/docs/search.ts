import { escapeHtml, inline, layout } from './layout.ts'
import { navigation, type SearchEntry, storedEntries } from './pages.ts'

interface Entry extends SearchEntry {
  /** Words of title and text, in lower case. */
  readonly words: ReadonlySet<string>
  readonly titleWords: ReadonlySet<string>
}

const RESULTS = 30

let built: readonly Entry[] | undefined

/** The page with what was found, which needs no script. An empty query finds nothing. */
export function searchPage(query: string): string {
  const found = search(query)
  const items = found.map(
    ({ path, title, text }) =>
      `<li><a href="${path}">${inline(title)}</a><p>${inline(text.length > 180 ? `${text.slice(0, 180)}…` : text)}</p></li>`,
  )
  const said = query.trim() === '' ? 'Enter what to look for.' : `Nothing has all the words of “${escapeHtml(query)}”.`
  return layout({
    title: 'Search',
    description: 'Search the documentation',
    current: '/docs/search',
    navigation: navigation(),
    query,
    content: `<h1>Search</h1>\n${items.length > 0 ? `<ol class="results">${items.join('')}</ol>` : `<p>${said}</p>`}`,
  })
}

/** What has all words of the query, or words that begin with them; a word of the title counts more than one of the text. */
function search(query: string): readonly Pick<Entry, 'path' | 'title' | 'text'>[] {
  const terms = wordsOf(query.slice(0, 100))
  if (terms.length === 0) return []
  built ??= storedEntries().map(entry)
  return (
    built
      .map((each) => ({ entry: each, scores: terms.map((term) => scoreOf(each, term)) }))
      .filter(({ scores }) => scores.every((score) => score > 0))
      // Of two with the same words, the one with the shorter title is meant.
      .map(({ entry: each, scores }) => ({ entry: each, score: sum(scores) + 1 / (1 + each.titleWords.size) }))
      .toSorted((a, b) => b.score - a.score)
      .slice(0, RESULTS)
      .map(({ entry: each }) => each)
  )
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

function scoreOf({ words, titleWords }: Entry, term: string): number {
  if (titleWords.has(term)) return 4
  const begins = (all: ReadonlySet<string>) => [...all].some((word) => word.startsWith(term))
  if (begins(titleWords)) return 3
  if (words.has(term)) return 2
  return begins(words) ? 1 : 0
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

function entry(stored: SearchEntry): Entry {
  const { title, text, more = '' } = stored
  const titleWords = wordsOf(title)
  return {
    ...stored,
    titleWords: new Set(titleWords),
    words: new Set([...titleWords, ...wordsOf(`${text} ${more}`)]),
  }
}
