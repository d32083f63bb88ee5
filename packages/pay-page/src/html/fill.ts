import { Html, html } from './html.ts'

/**
 * A text with its placeholders filled. Each value stands for itself in a text of the other direction (`bdi`), and is escaped.
 */
export const fill = (text: string, values: Readonly<Record<string, string | number>> = {}): Html =>
  new Html(
    text
      .split(/(\{\w+\})/)
      .map((part) => {
        const value = part.startsWith('{') ? values[part.slice(1, -1)] : undefined
        return value === undefined ? html`${part}`.text : html`<bdi>${value}</bdi>`.text
      })
      .join(''),
  )

/** The same as plain text, for titles and announcements. */
export const fillPlain = (text: string, values: Readonly<Record<string, string | number>> = {}): string =>
  text.replace(/\{(\w+)\}/g, (all, name: string) => String(values[name] ?? all))
