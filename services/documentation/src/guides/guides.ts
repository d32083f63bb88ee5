import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, clientArchive } from '@payments/gateway'

/** A page of `docs/guides`. */
export interface Guide {
  /** The last part of its path: `webhooks` is at `/docs/webhooks`. The index has the name `index` and is at `/docs`. */
  readonly name: string
  readonly path: string
  readonly title: string
  /** The first paragraph, as Markdown. */
  readonly summary: string
  /** Markdown as it is in the file. */
  readonly source: string
}

/** Where the guides and their pictures are. */
export const DIRECTORY = fileURLToPath(new URL('../../../../docs/guides/', import.meta.url))
const LANGUAGES: Record<string, string> = { ts: 'ts', py: 'python', go: 'go', php: 'php', rb: 'ruby', sh: 'sh' }
/** What the samples of the guides call, before it is replaced by the address of this service. */
export const SAMPLE_ADDRESS = 'http://127.0.0.1:4000'
/** A line that holds only a link to a verifier or a derived page: the page shows that file in its place. */
const INCLUDE = /^\[[^\]]+\]\((\.\.\/(?:verify|derived)\/[\w.-]+)\)$/gm

/** Stands for the digest of what this service serves for installation. */
const INTEGRITY = /\b(SDK|CLI)_INTEGRITY\b/g

/** A picture beside the guides. */
const PICTURE = /(!\[[^\]]*\])\(([\w-]+\.png)\)/g

/** A link to another guide: the index is a folder above the others. */
const LINK = /\]\(([\w-]+)\.md(#[\w-]+)?\)/g

/** The title and the paragraph after it. */
const BEGINNING = /^# (.+)\n\n((?:.+\n)+)/

let loaded: readonly Guide[] | undefined

/**
 * The guides in the order in which the last section of the index links to them, the index first. They are read once.
 * @throws Error when a guide is not linked from that section, has no title or no summary, or includes a file that is not there
 */
export function guides(): readonly Guide[] {
  loaded ??= load()
  return loaded
}

function load(): Guide[] {
  const index = read('index')
  const names = new Set(
    [...(index.source.split('\n## Guides\n')[1] ?? '').matchAll(/\]\(([\w-]+)\.md(?:#[\w-]+)?\)/g)].map(
      (match) => match[1] as string,
    ),
  )
  const unlisted = readdirSync(DIRECTORY).filter(
    (file) => file.endsWith('.md') && file !== 'index.md' && !names.has(file.replace(/\.md$/, '')),
  )
  if (unlisted.length > 0) throw new Error(`docs/guides/index.md has no link to ${unlisted.join(', ')}`)
  return [index, ...[...names].map(read)]
}

function read(name: string): Guide {
  const source = readFileSync(join(DIRECTORY, `${name}.md`), 'utf8')
  const [, title, summary] = source.match(BEGINNING) ?? []
  if (title === undefined || summary === undefined)
    throw new Error(`docs/guides/${name}.md must begin with a title and a paragraph that summarises it`)
  for (const [, file = ''] of source.matchAll(INCLUDE))
    if (!existsSync(join(DIRECTORY, file)))
      throw new Error(`docs/guides/${name}.md includes ${file}, which is not there`)
  return {
    name,
    path: name === 'index' ? '/docs' : `/docs/${name}`,
    title,
    summary: summary.trim().replaceAll('\n', ' '),
    source,
  }
}

/**
 * The Markdown of a guide with the files that it includes, and with the address of this service in its samples.
 * `baseUrl` is without `/v1`.
 */
export const guideText = ({ source }: Guide, baseUrl: string): string => {
  const text = source.replace(INCLUDE, (_line, file: string) => included(file))
  return text
    .replace(PICTURE, '$1(/docs/$2)')
    .replace(INTEGRITY, (_name, client: string) => clientArchive(client.toLowerCase() as Client).integrity)
    .replaceAll(SAMPLE_ADDRESS, baseUrl)
}

/** The same, with links to the other guides as Markdown. */
export const guideMarkdown = (guide: Guide, baseUrl: string): string =>
  guideText(guide, baseUrl).replace(
    LINK,
    (_link, name: string, part = '') => `](/docs${name === 'index' ? '' : `/${name}`}.md${part})`,
  )

/** Code as a block with its file name; a derived page without its title and its note. */
function included(file: string): string {
  const content = readFileSync(join(DIRECTORY, file), 'utf8').trim()
  const name = file.split('/').at(-1) as string
  const [, ending = ''] = name.split('.')
  if (ending !== 'md') return `\`\`\`${LANGUAGES[ending] ?? 'text'} ${name}\n${content}\n\`\`\``
  return content.replace(/^# .*\n+.*\n+/, '').trim()
}
