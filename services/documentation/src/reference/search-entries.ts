import type { SearchEntry } from '@payments/gateway'
import { everyError } from '@payments/gateway'
import { describedInterface } from '../described.ts'
import { guides } from '../guides/guides.ts'
import { slug } from '../parts.ts'

const entry = (path: string, title: string, text: string, more?: string): SearchEntry => ({ path, title, text, more })

/** Sections of the guides, operations, events and errors of the merchants' reference. */
export function searchEntries(): SearchEntry[] {
  const { root, operations, events } = describedInterface('merchants')
  return [
    ...guides().flatMap(({ path, title, source }) =>
      source.split(/^(?=## )/m).map((section) => {
        const [, heading] = section.match(/^## (.+)/) ?? []
        const text = plain(section.replace(/^#+ .+/, ''))
        return heading === undefined
          ? entry(path, title, text)
          : entry(`${path}#${slug(heading)}`, `${title}: ${heading}`, text)
      }),
    ),
    ...operations.map(({ id, method, url, summary, description }) =>
      entry(`${root}/${id}`, summary, `\`${method} ${url}\` ${description}`, id),
    ),
    ...events.map(({ type, description }) => entry(`${root}/events#${type}`, type, description)),
    ...everyError().map(({ code, status, message }) =>
      entry(`${root}/errors#${code}`, `${status} ${message}`, `\`${code}\``),
    ),
  ]
}

/** Markdown as one line of text, without code blocks and the addresses of links. */
const plain = (markdown: string): string =>
  markdown
    .replace(/^```[\s\S]*?^```/gm, ' ')
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/[*|#]|-{3,}/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
