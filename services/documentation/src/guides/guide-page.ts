import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { escapeHtml, layout } from '@payments/gateway'
import type { Marked, Renderer, Tokens } from 'marked'
import { highlighter, LANGUAGES, tabLabel } from '../highlight.ts'
import { figure, slug, tabs } from '../parts.ts'
import { DIRECTORY, type Guide, guides, guideText } from './guides.ts'
import type { Translation } from './samples/index.ts'

/** The page of a guide: its text, the list of all guides, its sections and its neighbours. */
export async function guidePage(guide: Guide, baseUrl: string): Promise<string> {
  const all = guides()
  const position = all.indexOf(guide)
  const sections: { id: string; title: string }[] = []
  const text = guideText(guide, baseUrl)
  const markdown = await renderer(sections, await translations(text))
  const link = (to: Guide | undefined, rel: string, text: string) =>
    to ? `<a rel="${rel}" href="${to.path}"><small>${text}</small>${escapeHtml(to.title)}</a>` : '<span></span>'
  const content = withTabs(markdown.parse(text, { async: false }))
  return layout({
    title: guide.title,
    description: guide.summary,
    current: guide.path,
    navigation: { label: 'Guides', items: all },
    sections,
    content: `${content}
<nav class="neighbours" aria-label="Previous and next guide">${link(all[position - 1], 'prev', 'Previous')}${link(all[position + 1], 'next', 'Next')}</nav>`,
  })
}

/** Blocks of code that follow one another and have a file name each are one program in several languages. */
const withTabs = (html: string): string =>
  html.replace(
    /(?:<figure class="code \w+"><figcaption><span>\w+ <span class="file">[\s\S]*?<\/figure>\n){2,}/g,
    (blocks) => tabs(blocks.split(/(?<=<\/figure>)\n/).filter(Boolean)),
  )

/** The translations of the shell samples of a page, in their order. What writes them is loaded with the first page that is read. */
async function translations(text: string): Promise<(readonly Translation[])[]> {
  const { Lexer } = await import('marked')
  const { translationsOf } = await import('./samples/index.ts')
  const samples = Lexer.lex(text).flatMap((token) => (token.type === 'code' && token.lang === 'sh' ? [token.text] : []))
  return translationsOf(samples)
}

/**
 * A renderer for one page, loaded with the first: headings with unique anchors, code with a caption and in every language (`translated`
 * is for the shell samples, in their order), tables that scroll, links between the pages.
 */
async function renderer(
  sections: { id: string; title: string }[],
  translated: (readonly Translation[])[],
): Promise<Marked> {
  const { Marked: Parser } = await import('marked')
  const highlight = await highlighter()
  const anchors = new Map<string, number>()
  let section = ''
  const rest = translated.values()
  return new Parser({
    renderer: {
      heading(this: Renderer, { tokens, depth }: Tokens.Heading) {
        const text = this.parser.parseInline(tokens, this.parser.textRenderer)
        const plain = slug(text)
        const seen = anchors.get(plain) ?? 0
        anchors.set(plain, seen + 1)
        const id = seen === 0 ? plain : `${plain}-${seen}`
        section = text
        if (depth === 2) sections.push({ id, title: text })
        if (depth === 1) return `<h1 id="${id}">${this.parser.parseInline(tokens)}</h1>\n`
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}<a class="anchor" href="#${id}" aria-label="Link to the section ${escapeHtml(text)}">#</a></h${depth}>\n`
      },
      code({ text, lang }: Tokens.Code) {
        const [language = '', file] = (lang ?? '').split(' ')
        const label = LANGUAGES[language]?.label
        if (!label) throw new Error(`A code block of a guide has the language "${language}"`)
        const caption = file ? `${label} <span class="file">${escapeHtml(file)}</span>` : label
        const own = figure(language, caption, highlight(text, language))
        const others = lang === 'sh' ? (rest.next().value ?? []) : []
        if (others.length === 0) return `${own}\n`
        const all = [{ language, code: text }, ...others]
        return `${tabs(all.map((each) => figure(each.language, tabLabel(each.language), highlight(each.code, each.language))))}\n`
      },
      table(this: Renderer, { header: head, rows }: Tokens.Table) {
        const cells = (row: Tokens.TableCell[], tag: string) =>
          `<tr>${row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`
        return `<div class="table" tabindex="0" role="group" aria-label="Table: ${escapeHtml(section)}"><table><thead>${cells(head, 'th')}</thead><tbody>${rows.map((row) => cells(row, 'td')).join('')}</tbody></table></div>\n`
      },
      image({ href, text }: Tokens.Image) {
        // The size is in the file's header, so that nothing moves when the picture arrives. It was taken at twice the size.
        const header = readFileSync(join(DIRECTORY, basename(href))).subarray(16, 24)
        const [width, height] = [header.readUInt32BE(0) / 2, header.readUInt32BE(4) / 2]
        return `<img class="picture" src="${escapeHtml(href)}" alt="${escapeHtml(text)}" width="${width}" height="${height}" loading="lazy">`
      },
      link(this: Renderer, { href, tokens }: Tokens.Link) {
        return `<a href="${escapeHtml(pageOf(href))}">${this.parser.parseInline(tokens)}</a>`
      },
    },
  })
}

/** A link of a guide as its page's: `webhooks.md#retries` is `/docs/webhooks#retries`. */
function pageOf(href: string): string {
  const [, name, anchor = ''] = href.match(/^([\w-]+)\.md(#[\w-]+)?$/) ?? []
  if (name === undefined) return href
  return `${name === 'index' ? '/docs' : `/docs/${name}`}${anchor}`
}
